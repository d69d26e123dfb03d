// Colour ramps, the range each field is shown in, and the scales in the corner of the picture.

import { number, unit, words } from "./format.js";

export const STOPS = 8;

// From low to high, evenly spaced; all of them readable on a dark ground.
const ramps = {
  tide: ["#2f4d9c", "#2f72bd", "#2b97c4", "#3bb8b4", "#6fd098", "#aee07c", "#e2e36e", "#fff3a8"],
  ember: ["#4a4b8f", "#77509b", "#a3539a", "#cc588b", "#ea6a72", "#f78b5b", "#fbb65a", "#fde58f"],
  dew: ["#d9c39a", "#c7c3a4", "#aec2b0", "#8fbfbc", "#6db5c8", "#479fce", "#2f83c8", "#2b62b8"],
  dusk: ["#ffe9b0", "#f7c793", "#e8a287", "#cf8188", "#ae6a90", "#885a95", "#5f5192", "#3c4a86"],
};
const choice = { speed: "tide", pressure: "ember", film_height: "dew", wetness: "dew", age: "dusk" };

export function rampOf(field) {
  return ramps[choice[field] ?? "tide"];
}

/** The ramp as numbers 0..1, three per stop. */
export function rampNumbers(field) {
  return rampOf(field).flatMap((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255));
}

/** Ranges by field. They grow with the frames seen until somebody sets them. */
export class Ranges {
  constructor() {
    this.known = new Map();
  }

  see(field, unitText, low, high) {
    const range = this.of(field);
    range.unit = unitText;
    if (range.set) return;
    range.low = Math.min(range.low, low >= 0 ? 0 : low);
    range.high = Math.max(range.high, high);
  }

  of(field) {
    if (!this.known.has(field)) this.known.set(field, { low: Infinity, high: -Infinity, unit: "", set: false });
    return this.known.get(field);
  }

  set(field, low, high) {
    Object.assign(this.of(field), { low, high, set: true });
  }

  release(field) {
    Object.assign(this.of(field), { low: Infinity, high: -Infinity, set: false });
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

  show(fields) {
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
      '<div class="bar-ends"><input aria-label="lowest" /><canvas></canvas><input aria-label="highest" /></div>';
    const [low, high] = root.querySelectorAll("input");
    const bar = { root, low, high, names: root.querySelectorAll(".bar-name span"), auto: root.querySelector("button") };
    paint(root.querySelector("canvas"), field);
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
