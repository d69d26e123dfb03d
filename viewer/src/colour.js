// Colour ramps, the range each field is shown in, and the scales in the corner of the picture.

import { number, unit, words } from "./format.js";

export const STOPS = 8;

// From low to high, evenly spaced; all of them readable on a dark ground.
const ramps = {
  tide: ["#2f4d9c", "#2f72bd", "#2b97c4", "#3bb8b4", "#6fd098", "#aee07c", "#e2e36e", "#fff3a8"],
  ember: ["#4a4b8f", "#77509b", "#a3539a", "#cc588b", "#ea6a72", "#f78b5b", "#fbb65a", "#fde58f"],
  dew: ["#d9c39a", "#c7c3a4", "#aec2b0", "#8fbfbc", "#6db5c8", "#479fce", "#2f83c8", "#2b62b8"],
  dusk: ["#ffe9b0", "#f7c793", "#e8a287", "#cf8188", "#ae6a90", "#885a95", "#5f5192", "#3c4a86"],
  viridis: ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"],
  turbo: ["#30123b", "#4777ef", "#1bd0d5", "#62fc6b", "#d2e935", "#fe9b2d", "#db3a07", "#7a0403"],
  contrast: ["#3b4cc0", "#688aef", "#99baff", "#c9d7f0", "#edd1c2", "#f7a789", "#e26952", "#b40426"],
  grey: ["#2b2b2b", "#484848", "#666666", "#848484", "#a2a2a2", "#c0c0c0", "#dedede", "#fcfcfc"],
};
export const rampNames = Object.keys(ramps);
const choice = { speed: "tide", pressure: "ember", film_height: "dew", wetness: "dew", age: "dusk" };

/** The name of a ramp, or of the one that a field has without a choice. */
export function rampName(field) {
  return ramps[field] ? field : choice[field] ?? "tide";
}

export function rampOf(field) {
  return ramps[rampName(field)];
}

/** The ramp as numbers 0..1, three per stop. */
export function rampNumbers(field) {
  return rampOf(field).flatMap((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255));
}

/** Ranges by field. They grow with the frames seen, follow the one frame in the picture, or are what somebody set. */
export class Ranges {
  constructor() {
    this.known = new Map();
  }

  see(field, unitText, low, high) {
    const range = this.of(field);
    range.unit = unitText;
    if (range.set || range.here) return;
    range.low = Math.min(range.low, low >= 0 ? 0 : low);
    range.high = Math.max(range.high, high);
  }

  /** The frame that is shown: all that counts for a range that follows it. */
  show(field, low, high) {
    const range = this.of(field);
    if (range.here && !range.set) Object.assign(range, { low, high });
  }

  of(field) {
    if (!this.known.has(field)) this.known.set(field, { low: Infinity, high: -Infinity, unit: "", set: false, here: false, ramp: undefined });
    return this.known.get(field);
  }

  /** Whether there is anything to tell apart, as far as is known. */
  tells(field) {
    const range = this.of(field);
    return range.high > range.low || range.low === Infinity;
  }

  set(field, low, high) {
    Object.assign(this.of(field), { low, high, set: true });
  }

  release(field) {
    Object.assign(this.of(field), { low: Infinity, high: -Infinity, set: false });
  }

  follow(field, here) {
    this.release(field);
    this.of(field).here = here;
  }
}

function paint(canvas, field) {
  canvas.width = 256;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  const fade = context.createLinearGradient(0, 0, 256, 0);
  rampOf(field).forEach((colour, i) => fade.addColorStop(i / (STOPS - 1), colour));
  context.fillStyle = fade;
  context.fillRect(0, 0, 256, 1);
}

/** One scale per field in use. changed(field) after somebody typed a range or asked for the automatic one. */
export class Bars {
  constructor(element, ranges, changed) {
    Object.assign(this, { element, ranges, changed, shown: new Map() });
  }

  show(all) {
    const fields = all.filter((field) => this.ranges.tells(field));
    for (const [field, bar] of this.shown) {
      if (fields.includes(field)) continue;
      bar.root.remove();
      this.shown.delete(field);
    }
    for (const field of fields) {
      if (!this.shown.has(field)) this.shown.set(field, this.make(field));
      this.update(field);
    }
  }

  make(field) {
    const root = document.createElement("div");
    root.className = "bar";
    root.innerHTML =
      '<div class="bar-name"><span></span><button title="follow the data again">auto</button><span></span></div>' +
      '<div class="bar-ends"><input aria-label="lowest" /><canvas></canvas><input aria-label="highest" /></div>' +
      `<div class="bar-choice"><select aria-label="colours of ${words(field)}"></select><select aria-label="range of ${words(field)}"></select></div>`;
    const [low, high] = root.querySelectorAll("input");
    const bar = { root, low, high, names: root.querySelectorAll(".bar-name span"), auto: root.querySelector("button") };
    const canvas = root.querySelector("canvas");
    const [map, range] = root.querySelectorAll("select");
    map.append(...rampNames.map((name) => new Option(name, name)));
    range.append(new Option("all frames", "all"), new Option("this frame", "here"));
    map.value = rampName(this.ranges.of(field).ramp ?? field);
    range.value = this.ranges.of(field).here ? "here" : "all";
    map.addEventListener("change", () => {
      this.ranges.of(field).ramp = map.value;
      paint(canvas, map.value);
      this.changed(field);
    });
    range.addEventListener("change", () => {
      this.ranges.follow(field, range.value === "here");
      this.changed(field);
    });
    paint(canvas, map.value);
    const take = () => {
      const [from, to] = [low, high].map((input) => Number(input.value.replace("×10", "e").replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (c) => "-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)])));
      if (Number.isFinite(from) && Number.isFinite(to) && from < to) this.ranges.set(field, from, to);
      this.changed(field);
    };
    for (const input of [low, high]) {
      input.addEventListener("change", take);
      input.addEventListener("keydown", (event) => event.key === "Enter" && input.blur());
    }
    bar.auto.addEventListener("click", () => {
      this.ranges.release(field);
      this.changed(field);
    });
    this.element.append(root);
    return bar;
  }

  update(field) {
    const bar = this.shown.get(field);
    const range = this.ranges.of(field);
    bar.names[0].textContent = words(field);
    bar.names[1].textContent = unit(range.unit);
    bar.auto.hidden = !range.set;
    if (document.activeElement !== bar.low) bar.low.value = number(range.low);
    if (document.activeElement !== bar.high) bar.high.value = number(range.high);
  }
}
