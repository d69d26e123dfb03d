// Drives a page in headless Chromium for tests/view/test_browser.py: one JSON command per line in, one answer per line out.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(new URL("../../viewer/package.json", import.meta.url));
const { chromium } = require("playwright-core");

// Software WebGL, as on a machine without a graphics card.
const browser = await chromium.launch({
  executablePath: process.argv[2],
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
let page;
let problems = [];
let asked = [];

/** How many pixels of the picture have a colour (the ground and glass are grey), and where their middle is. */
async function pixels() {
  await page.evaluate(() => (document.getElementById("bars").hidden = true));
  const box = await page.locator("#canvas").boundingBox();
  const picture = await page.screenshot({ clip: { ...box, y: box.y + 60, height: box.height - 100 } });
  await page.evaluate(() => (document.getElementById("bars").hidden = false));
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: bytes } = context.getImageData(0, 0, image.width, image.height);
    let count = 0, x = 0, y = 0;
    for (let i = 0; i < bytes.length; i += 4) {
      const [r, g, b] = [bytes[i], bytes[i + 1], bytes[i + 2]];
      if (Math.max(r, g, b) - Math.min(r, g, b) < 40) continue;
      count++;
      x += (i / 4) % image.width;
      y += Math.floor(i / 4 / image.width);
    }
    return { count, x: x / count, y: y / count };
  }, picture.toString("base64"));
}

const commands = {
  async open({ url }) {
    await page?.close();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    problems = [];
    asked = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error.stack)));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(url, { waitUntil: "commit" });
  },
  // Not waitForFunction, which the page's security policy forbids.
  async wait({ code, seconds }) {
    const until = Date.now() + 1000 * (seconds ?? 10);
    while (!(await page.evaluate(`Boolean(${code})`))) {
      if (Date.now() > until) throw new Error(`waited in vain, ${await page.evaluate("JSON.stringify(document.getElementById('stage').dataset)")}`);
      await new Promise((wake) => setTimeout(wake, 20));
    }
  },
  evaluate: ({ code }) => page.evaluate(code),
  press: ({ key }) => page.keyboard.press(key),
  click: ({ selector, x, y }) => page.locator(selector).click({ position: x === undefined ? undefined : { x, y } }),
  select: ({ label, value }) => page.getByLabel(label).selectOption(value),
  type: ({ selector, text }) => page.locator(selector).fill(text).then(() => page.locator(selector).press("Enter")),
  drag: ({ from, to }) => page.mouse.move(...from).then(() => page.mouse.down()).then(() => page.mouse.move(...to, { steps: 5 })).then(() => page.mouse.up()),
  slow: ({ path, seconds }) =>
    page.route(path, async (route) => {
      await new Promise((wake) => setTimeout(wake, 1000 * seconds));
      await route.continue().catch(() => {}); // the page may have given it up
    }),
  size: ({ width, height }) => page.setViewportSize({ width, height }),
  // What a click makes the browser save: its name and first bytes.
  async download({ selector }) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(selector).click()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    return { name: download.suggestedFilename(), bytes: [...Buffer.concat(chunks).subarray(0, 24)] };
  },
  shot: ({ path }) => page.screenshot({ path }),
  pixels,
  problems: () => problems,
  asked: () => asked,
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[command.do](command)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
