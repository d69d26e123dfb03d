// What the server answers, and a frame taken out of its bytes. docs/view.md describes both.

export class Refusal extends Error {}

async function ask(path, signal) {
  const response = await fetch(path, { signal });
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Refusal(body.error ?? `the server answered ${response.status}`);
}

export async function askRun() {
  return (await ask("/api/run")).json();
}

export async function askStats(from) {
  return (await ask(`/api/stats?from=${from}`)).json();
}

/** want: Map of part to field, undefined for the server's own choice. */
export async function askFrame(entry, want, signal) {
  let path = `/api/frame?number=${entry.number}&sample=${entry.sample}`;
  if (want) path += `&want=${[...want].map(([part, field]) => `${encodeURIComponent(part)}:${encodeURIComponent(field)}`).join(",")}`;
  const response = await ask(path, signal);
  if (response.headers.get("Content-Type") === "application/json") throw new Refusal((await response.json()).error);
  return takeFrame(await response.arrayBuffer());
}

export function takeFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x44524631) throw new Refusal("the answer is not a frame");
  const length = view.getUint32(4, true);
  const frame = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  frame.bytes = buffer.byteLength;
  for (const part of frame.parts) {
    for (const array of Object.values(part.arrays ?? {})) {
      const kind = array.type === "uint32" ? Uint32Array : Float32Array;
      array.data = new kind(buffer, 8 + length + array.offset, array.count * array.components);
    }
  }
  return frame;
}
