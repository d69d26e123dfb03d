// The frames there are, those at hand, and those on their way: one that is looked at comes first, its neighbours are
// fetched ahead, requests that have become stale are given up, and what is far away is forgotten when room is short.

import { Refusal, askFrame } from "./api.js";

const ROOM = 512 * 2 ** 20; // bytes of frames kept
const AT_ONCE = 2; // requests on their way; one until there is something to see
const RETRY = 1500; // milliseconds until a frame that could not be read is asked for again

export class Frames {
  constructor(changed) {
    this.changed = changed; // called when something has arrived or failed
    this.list = []; // {number, sample, stamp, time}
    this.kept = new Map(); // name -> {frame} or {error, when}
    this.coming = new Map(); // name -> {index, abort}
    this.want = undefined;
    this.current = 0;
    this.direction = 1;
    this.started = false; // there is a picture
    this.playing = false; // only what lies ahead counts
    this.bytes = 0;
  }

  /** Takes the server's list. True where it differs from the one before. */
  take(run) {
    const time = (number, sample) => (number - run.start_frame + sample / run.samples) / run.frame_rate;
    const name = (number, sample, stamp) => `${number}/${sample}/${stamp}`;
    const before = this.list.map((entry) => entry.name).join();
    this.list = run.frames.map(([number, sample, stamp]) => ({
      number, sample, stamp, time: time(number, sample), name: name(number, sample, stamp),
    }));
    if (this.list.map((entry) => entry.name).join() === before) return false;
    const names = new Set(this.list.map((entry) => entry.name));
    for (const known of [...this.kept.keys()]) if (!names.has(known)) this.forget(known);
    this.current = Math.min(this.current, Math.max(0, this.list.length - 1));
    this.pump();
    return true;
  }

  /** Which parts are wanted and what colours each: a Map of part to field. */
  choose(want) {
    this.want = want;
    this.pump();
  }

  go(index) {
    if (index !== this.current) this.direction = this.playing || index > this.current ? 1 : -1;
    this.current = index;
    this.pump();
  }

  /** What is at hand for a place in the list: {frame}, {error} or undefined. */
  at(index) {
    const entry = this.list[index];
    const kept = entry && this.kept.get(entry.name);
    return kept && (kept.error || this.covers(kept.frame)) ? kept : undefined;
  }

  /** A frame that is there but lacks a field: better than nothing while the right one comes. */
  roughly(index) {
    const entry = this.list[index];
    return entry && this.kept.get(entry.name)?.frame;
  }

  covers(frame) {
    if (!this.want) return true;
    return frame.parts.every((part) => {
      if (!this.want.has(part.name)) return true;
      const field = this.want.get(part.name);
      return part.arrays && (field === "" || field in part.arrays || !part.fields.includes(field));
    });
  }

  forget(name) {
    this.bytes -= this.kept.get(name)?.frame?.bytes ?? 0;
    this.kept.delete(name);
  }

  /** Places by need: the one looked at, then ahead, and some behind. */
  *needs() {
    const count = this.list.length;
    if (count === 0) return;
    yield this.current;
    for (let away = 1; away < count; away++) {
      yield (((this.current + this.direction * away) % count) + count) % count;
      if (away <= 8 && !this.playing) yield (((this.current - this.direction * away) % count) + count) % count;
    }
  }

  missing() {
    const found = [];
    let ahead = 0;
    const size = this.bytes / Math.max(1, this.kept.size);
    const most = this.started ? AT_ONCE : 1;
    for (const index of this.needs()) {
      if (found.length >= most || ahead++ * size > ROOM * 0.8) break;
      const kept = this.at(index);
      const again = kept?.error && index === this.current && performance.now() - kept.when > RETRY;
      if ((!kept || again) && !found.includes(index)) found.push(index);
    }
    return found;
  }

  pump() {
    const wanted = this.missing();
    const names = new Set(wanted.map((index) => this.list[index].name + this.key()));
    const urgent = wanted[0] === this.current && !this.coming.has(this.list[this.current].name + this.key());
    for (const [name, request] of this.coming) {
      if (!names.has(name) && (urgent || request.key !== this.key())) {
        request.abort.abort();
        this.coming.delete(name);
      }
    }
    for (const index of wanted) {
      const name = this.list[index].name + this.key();
      if (this.coming.size < AT_ONCE && !this.coming.has(name)) this.fetch(this.list[index], name);
    }
  }

  key() {
    return this.want ? JSON.stringify([...this.want]) : "";
  }

  async fetch(entry, name) {
    const abort = new AbortController();
    const request = { abort, key: this.key() };
    this.coming.set(name, request);
    let outcome;
    try {
      outcome = { frame: await askFrame(entry, this.want, abort.signal) };
    } catch (error) {
      if (abort.signal.aborted) return;
      this.coming.delete(name);
      if (!(error instanceof Refusal)) return; // nobody answers: the next look at the list tries again
      outcome = { error: error.message, when: performance.now() };
    }
    this.coming.delete(name);
    if (!this.list.some((other) => other.name === entry.name)) return;
    this.keep(entry.name, outcome);
    this.changed(entry, outcome);
    this.pump();
  }

  keep(name, outcome) {
    this.forget(name);
    this.kept.set(name, outcome);
    this.bytes += outcome.frame?.bytes ?? 0;
    if (this.bytes <= ROOM) return;
    const keepers = [...this.needs()].map((index) => this.list[index].name);
    for (const far of [...new Set(keepers)].reverse()) {
      if (this.bytes <= ROOM) break;
      if (this.kept.has(far) && far !== this.list[this.current]?.name) this.forget(far);
    }
  }
}
