// The page: one place in time, shown by the picture, the time line and the plots together.

import { askRun } from "./api.js";
import { Bars, Ranges } from "./colour.js";
import { number, count, unit, words } from "./format.js";
import { Frames } from "./frames.js";
import { Panel } from "./panel.js";
import { Plots, Stats } from "./plots.js";
import { Stage, spread, tint } from "./stage.js";
import { Track } from "./track.js";

const POLL = 1000; // milliseconds between two looks at the folder
const GROWING = 6000; // how long a folder counts as growing after its last change

const by = (id) => document.getElementById(id);
const look = new Map();
const ranges = new Ranges();
const frames = new Frames(arrived);
await askRun().then((answer) => frames.take(answer), () => {}); // the first frame is on its way while the stage is built
const stage = build();
const stats = new Stats();
const track = new Track(by("track"), frames, (index) => visit(index));
const plots = new Plots(by("plots"), stats, (time) => visit(nearest(time)));
const panel = new Panel(by("parts"), look, chosen);
const bars = new Bars(by("bars"), ranges, rescaled);

let run; // the server's answer
let index = 0; // where one is in the list
let shown; // the frame in the picture
let playing = false;
let clock = 0; // when the frame looked at began to play
let grown = -Infinity; // when the folder last changed
let follow = false;
let seeking = true; // the first frame that has something to show
let picked; // {name, index, curve} of what somebody pointed at

function build() {
  try {
    return new Stage(by("canvas"), ranges);
  } catch (error) {
    warn(`There is no picture: ${error.message}.`);
    throw error;
  }
}

// ---- going through time

function nearest(time) {
  let best = 0;
  frames.list.forEach((entry, i) => {
    if (Math.abs(entry.time - time) < Math.abs(frames.list[best].time - time)) best = i;
  });
  return best;
}

/** Somebody goes to a frame. */
function visit(to) {
  seeking = false;
  follow = growing() && to === frames.list.length - 1;
  go(to);
  clock = performance.now();
}

function go(to) {
  if (frames.list.length === 0) return;
  index = Math.max(0, Math.min(frames.list.length - 1, to));
  frames.go(index);
  refresh();
}

function play(on) {
  seeking = false;
  playing = frames.playing = on && frames.list.length > 1;
  if (playing && index === frames.list.length - 1) go(0);
  clock = performance.now();
  by("play").classList.toggle("playing", playing);
  by("play").setAttribute("aria-label", playing ? "pause" : "play");
  if (playing) {
    follow = false;
    requestAnimationFrame(advance);
  }
}

/** The frame that is due now, leaving out those that come too late and those that cannot be read; waits for one on its way. */
function advance(now) {
  if (!playing) return;
  requestAnimationFrame(advance);
  const speed = Number(by("speed").value);
  let to = index;
  while (true) {
    const next = to + 1 < frames.list.length ? to + 1 : loops() ? 0 : to;
    if (next === to) {
      if (!growing()) play(false);
      break;
    }
    const due = next === 0 ? 1000 / run.frame_rate / speed : (1000 * (frames.list[next].time - frames.list[to].time)) / speed;
    if (now - clock < due || next === index) break;
    clock += due;
    to = next;
    if (now - clock > 250) clock = now;
  }
  if (to === index) return;
  while (frames.at(to)?.error && to + 1 < frames.list.length) to++;
  frames.go(to);
  if (!frames.at(to)) {
    clock = now; // it is not here yet: stay where we are
    return;
  }
  go(to);
}

function loops() {
  return by("loop").getAttribute("aria-pressed") === "true";
}

function growing() {
  return run && !run.ended ? performance.now() - grown < 60000 : performance.now() - grown < GROWING;
}

// ---- what has come

function arrived(entry, outcome) {
  if (outcome.frame) {
    stage.see(outcome.frame);
    by("grid-note").textContent = stage.square ? `grid ${number(stage.square)} cm` : "";
    for (const part of outcome.frame.parts) see(part, part.field);
    if (shown === undefined || look.size < outcome.frame.parts.length) panel.update(outcome.frame);
    if (!frames.want) frames.choose(panel.want());
  }
  track.draw();
  if (entry.name !== frames.list[index]?.name) return;
  if (seeking && outcome.frame) seek(outcome.frame);
  refresh();
}

/** A run that begins with nothing, as one with an emitter does, is first seen where there is something. */
function seek(frame) {
  const empty = frame.parts.every((part) => part.points === 0 || part.name === "colliders");
  if (!empty || index + 1 >= frames.list.length) seeking = false;
  else go(index + 1);
}

function chosen() {
  frames.choose(panel.want());
  if (shown) for (const part of shown.parts) see(part, look.get(part.name)?.field);
  refresh();
}

function see(part, field) {
  const array = part.arrays?.[field];
  if (array && part.points > 0) ranges.see(field, array.unit, ...spread(array.data, 1, 0, 0.002));
}

/** Ranges that follow the picture. */
function here(part, field) {
  const array = part.arrays?.[field];
  if (array && part.points > 0 && ranges.of(field).here && look.get(part.name)?.visible) ranges.show(field, ...spread(array.data, 1, 0, 0.002));
}

function rescaled(field) {
  if (shown) for (const part of shown.parts) see(part, field), here(part, field);
  bars.show(panel.fields(shown));
  stage.paint(look);
}

// ---- showing

function refresh() {
  const entry = frames.list[index];
  const kept = frames.at(index);
  const frame = kept?.frame ?? frames.roughly(index);
  if (frame) {
    shown = frame;
    panel.update(frame);
    for (const part of frame.parts) here(part, look.get(part.name)?.field);
    stage.show(frame, look);
    point();
  }
  track.move(index);
  plots.show(frame && frames.list[index] ? frame.time : entry?.time ?? 0, until());
  if (shown) bars.show(panel.fields(shown));
  tell(entry, kept);
}

function until() {
  const last = frames.list.at(-1)?.time ?? 0;
  return Math.max(last, stats.columns.time?.at(-1) ?? 0);
}

function tell(entry, kept) {
  by("empty").hidden = frames.list.length > 0;
  by("frame").innerHTML = "";
  if (!entry) {
    by("frame").textContent = "–";
    return;
  }
  const small = document.createElement("small");
  small.textContent = `${entry.sample ? ` +${entry.sample}` : ""} / ${frames.list.at(-1).number}`;
  by("frame").append(String(entry.number), small);
  by("time").textContent = `${(shown && kept?.frame === shown ? shown.time : entry.time).toFixed(3)} s`;
  if (kept?.error) warn(`Frame ${entry.number} cannot be shown: ${kept.error}`);
  else if (!lost) warn("");
  mark(entry, kept);
}

/** What is in the picture, for whoever reads the page without eyes. */
function mark(entry, kept) {
  const { dataset } = by("stage");
  dataset.frame = entry.number;
  dataset.state = kept?.error ? "error" : kept ? "shown" : "loading";
  dataset.frames = frames.list.length;
  dataset.kept = frames.list.filter((_, i) => frames.at(i)).length;
  const parts = kept?.frame?.parts ?? [];
  dataset.points = parts.filter((part) => look.get(part.name)?.visible).reduce((sum, part) => sum + part.points, 0);
}

stage.drawn = () => {
  if (shown && !frames.started) begin();
  place();
  by("stage").dataset.pictures = stage.pictures;
  by("stage").dataset.detail = stage.coarse ? "coarse" : "full";
  by("stage").dataset.drawn = shown ? shown.number : "";
};

/** The first picture is there: now everything else may come. */
function begin() {
  frames.started = true;
  frames.pump();
  lookAtStats().catch(() => {});
}

let lost = false; // nobody answers

function warn(text) {
  by("notice").textContent = text;
  by("notice").hidden = text === "";
}

// ---- the folder

function gaps() {
  const numbers = new Set(frames.list.map((entry) => entry.number));
  const missing = [];
  if (frames.list.length) for (let n = run.start_frame; n < frames.list.at(-1).number && missing.length < 1000; n++) if (!numbers.has(n)) missing.push(n);
  return missing;
}

function head() {
  const wanted = run.frames_wanted;
  const have = new Set(frames.list.map((entry) => entry.number)).size;
  const missing = gaps();
  by("title").textContent = run.title || run.folder;
  document.title = `${run.title || run.folder} – drench`;
  let text = `${run.title ? `${run.folder} · ` : ""}${count(have)} ${wanted > have ? `of ${count(wanted)} ` : ""}frames at ${number(run.frame_rate)} per second`;
  if (missing.length) text += ` · missing: ${missing.slice(0, 6).join(", ")}${missing.length > 6 ? `, … (${missing.length})` : ""}`;
  by("subtitle").textContent = text;
  by("live").hidden = !growing();
  by("live").classList.toggle("growing", performance.now() - grown < GROWING);
  by("live").setAttribute("aria-pressed", String(follow));
}

async function lookAgain() {
  try {
    const answer = await askRun();
    const bytes = run?.stats_bytes;
    const first = run === undefined;
    run = answer;
    lost = false;
    if (run.liquid_colour) for (const name of ["liquid", "surface"]) tint(name, run.liquid_colour);
    const changed = frames.take(run) || first;
    if (!first && (changed || run.stats_bytes !== bytes)) grown = performance.now();
    if (first && !run.ended) grown = performance.now();
    if (changed) listed(first);
    head();
    frames.pump();
    if (frames.started || frames.list.length === 0) await lookAtStats();
    tell(frames.list[index], frames.at(index));
  } catch (error) {
    lost = true;
    warn(`The server does not answer (${error.message}). Is drench view still running?`);
  }
}

async function lookAtStats() {
  if (run && run.stats_bytes !== stats.next && (await stats.poll())) plots.show(shown?.time ?? 0, until());
}

function listed(first) {
  track.set(run);
  if (first) go(index);
  else if (follow) go(frames.list.length - 1);
  else go(index);
}

async function watch() {
  await lookAgain();
  setTimeout(watch, POLL);
}

// ---- hands

const actions = {
  " ": () => play(!playing),
  ArrowLeft: (event) => step(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => step(event.shiftKey ? 10 : 1),
  Home: () => visit(0),
  End: () => visit(frames.list.length - 1),
  f: () => shown && stage.fit(shown, look),
  x: () => stage.along("x"),
  y: () => stage.along("y"),
  z: () => stage.along("z"),
  l: () => by("loop").click(),
  h: () => fold(),
  s: () => save(),
  Escape: () => pick(undefined),
};

/** Hides the panel, or brings it back; on small screens it lies over the picture. */
function fold() {
  document.body.classList.toggle(matchMedia("(max-width: 820px)").matches ? "drawer" : "bare");
}

// ---- pointing at things

function pick(found) {
  picked = found && { name: found.part.name, index: found.index };
  point();
  stage.touch();
}

/** Tells of the point that was picked, as it is in the frame shown. */
function point() {
  const part = picked && shown?.parts.find((other) => other.name === picked.name);
  const there = part?.arrays && picked.index < part.points;
  by("pick").hidden = by("ring").hidden = !there;
  if (!there) return;
  const at = part.arrays.position.data.subarray(3 * picked.index, 3 * picked.index + 3);
  const lines = [`${part.name} ${nameOf(part, picked.index)}`, `(${[...at].map((value) => number(value, 4)).join(", ")}) cm`];
  for (const [field, array] of Object.entries(part.arrays)) {
    if (array.components === 1 && array.count === part.points && array.type === "float32") lines.push(`${words(field)} ${number(array.data[picked.index], 4)} ${unit(array.unit)}`);
  }
  by("pick").textContent = lines.join("\n");
  place();
}

function nameOf(part, i) {
  const first = part.arrays.index?.data;
  if (part.kind !== "curves" || !first) return `point ${count(i)}`;
  let curve = 0;
  while (curve + 2 < first.length && first[curve + 1] <= i) curve++;
  return `${count(curve)}, vertex ${i - first[curve]}`;
}

/** The ring around it. */
function place() {
  const part = picked && shown?.parts.find((other) => other.name === picked.name);
  if (by("ring").hidden || !part?.arrays) return;
  const [x, y] = stage.placeOf(part, picked.index);
  by("ring").style.transform = `translate(${x - 9}px, ${y - 9}px)`;
}

let pressed;
stage.canvas.addEventListener("pointerdown", (event) => (pressed = [event.offsetX, event.offsetY]));
stage.canvas.addEventListener("click", (event) => {
  const still = pressed && Math.hypot(event.offsetX - pressed[0], event.offsetY - pressed[1]) < 4;
  if (still) pick(stage.pick(event.offsetX, event.offsetY));
});

// ---- pictures

async function save() {
  const blob = await stage.shot("#1a2027");
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob) });
  link.download = `${(run?.folder || "drench").replace(/[^\w.-]+/g, "_")}_${String(shown?.number ?? 0).padStart(6, "0")}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  by("stage").dataset.saved = link.download;
}

function step(by) {
  play(false);
  visit(Math.max(0, Math.min(frames.list.length - 1, index + by)));
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches?.("input:not([type=checkbox]), select")) return;
  if (event.key === " " && event.target.matches?.("button, input")) event.target.blur();
  if (/^[1-9]$/.test(event.key)) panel.toggle(Number(event.key) - 1);
  else if (actions[event.key]) actions[event.key](event);
  else return;
  event.preventDefault();
});

by("fit").addEventListener("click", actions.f);
for (const axis of ["x", "y", "z"]) by(`along-${axis}`).addEventListener("click", actions[axis]);
by("save").addEventListener("click", actions.s);
by("fold").addEventListener("click", fold);
by("first").addEventListener("click", actions.Home);
by("back").addEventListener("click", () => step(-1));
by("play").addEventListener("click", () => play(!playing));
by("forth").addEventListener("click", () => step(1));
by("last").addEventListener("click", actions.End);
by("loop").addEventListener("click", () => by("loop").setAttribute("aria-pressed", String(!loops())));
by("live").addEventListener("click", () => {
  follow = !follow;
  if (follow) go(frames.list.length - 1);
  head();
});

watch();
