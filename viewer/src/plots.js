// Statistics over time: small plots that share the time axis, show the values at the frame looked at, and can be dragged.

import { askStats } from "./api.js";
import { number, unit } from "./format.js";

const plots = [
  { title: "liquid volume", unit: "cm3", lines: [["volume", "#46b5d9"]] },
  { title: "energy", unit: "erg", lines: [["kinetic", "#f0a35c"], ["elastic", "#b48be0"], ["potential", "#6fd098"]], zero: true },
  { title: "iterations per step", unit: "", lines: [["iterations", "#e2e36e"]], zero: true },
  { title: "time per step", unit: "ms", lines: [["milliseconds", "#ef8f9c"]], zero: true },
];

/** The columns of stats.jsonl, as far as they have come. */
export class Stats {
  constructor() {
    this.clear();
  }

  clear() {
    this.next = 0;
    this.rows = 0;
    this.columns = {};
  }

  /** Fetches what is new. True where something came. */
  async poll() {
    if (this.asking) return false;
    this.asking = true;
    try {
      return await this.ask();
    } finally {
      this.asking = false;
    }
  }

  async ask() {
    let came = false;
    for (let more = true; more; ) {
      const answer = await askStats(this.next);
      const step = answer.rows[0]?.[answer.columns.indexOf("step")];
      const another = answer.again || step <= this.columns.step?.at(-1); // the file was begun anew
      if (another) this.clear();
      else for (const row of answer.rows) this.take(answer.columns, row);
      came ||= another || answer.rows.length > 0;
      more = answer.more || another;
      if (!another) this.next = answer.next;
    }
    return came;
  }

  take(names, row) {
    const { columns } = this;
    names.forEach((name, i) => (columns[name] ??= []).push(row[i]));
    (columns.milliseconds ??= []).push(1000 * row[names.indexOf("step_seconds")]);
    this.rows++;
  }

  /** The last row not after a time, the first where there is none. */
  find(time) {
    const times = this.columns.time ?? [];
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    return times.length ? Math.max(0, low - 1) : -1;
  }
}

export class Plots {
  /** scrub(time) when somebody points at a time. */
  constructor(element, stats, scrub) {
    this.stats = stats;
    this.until = 1;
    this.time = 0;
    this.plots = plots.map((plot) => this.make(element, plot, scrub));
    new ResizeObserver(() => this.draw()).observe(element);
  }

  make(element, plot, scrub) {
    const root = document.createElement("div");
    root.className = "plot";
    root.innerHTML = '<div class="plot-head"><span></span><span><span class="value"></span> <span class="unit"></span></span></div><div class="plot-field"><canvas></canvas><i class="now"></i></div>';
    root.querySelector(".plot-head span").textContent = plot.title;
    root.querySelector(".unit").textContent = unit(plot.unit);
    if (plot.lines.length > 1) {
      const legend = document.createElement("div");
      legend.className = "legend";
      for (const [name, colour] of plot.lines) {
        const item = document.createElement("span");
        const mark = document.createElement("i");
        mark.style.background = colour;
        item.append(mark, name);
        legend.append(item);
      }
      root.append(legend);
    }
    element.append(root);
    const canvas = root.querySelector("canvas");
    const point = (event) => {
      if (event.buttons & 1) scrub((event.offsetX / canvas.clientWidth) * this.until);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      point(event);
    });
    canvas.addEventListener("pointermove", point);
    const marks = [...root.querySelectorAll(".legend span")];
    return { ...plot, root, marks, canvas, value: root.querySelector(".value"), now: root.querySelector(".now") };
  }

  /** Puts the mark at a time; until: where the time axis ends. */
  show(time, until) {
    this.time = time;
    const other = until !== this.until || this.stats.rows !== this.rows;
    this.until = Math.max(until, 1e-9);
    if (other) this.draw();
    this.mark();
  }

  draw() {
    this.rows = this.stats.rows;
    for (const plot of this.plots) {
      const full = plot.lines.map(([name]) => (this.stats.columns[name] ?? []).some((value) => value));
      plot.root.hidden = !full.includes(true); // nothing of it happens in this run
      plot.marks.forEach((mark, i) => (mark.hidden = !full[i]));
      if (!plot.root.hidden) drawPlot(plot, this.stats, this.until);
    }
    this.mark();
  }

  mark() {
    const row = this.stats.find(this.time);
    for (const plot of this.plots) {
      plot.now.style.transform = `translateX(${Math.min(1, this.time / this.until) * plot.width}px)`;
      const values = plot.lines.map(([name]) => this.stats.columns[name]?.[row]);
      const total = values.reduce((sum, value) => sum + value, 0);
      plot.value.textContent = row < 0 ? "" : number(total, 4);
    }
  }
}

/** Lowest and highest of a plot's lines. */
function span(plot, stats) {
  let low = plot.zero ? 0 : Infinity, high = plot.zero ? 0 : -Infinity;
  for (const [name] of plot.lines) {
    for (const value of stats.columns[name] ?? []) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
}

/** As many digits as tell two numbers apart. */
function label(value, low, high) {
  const apart = Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (high - low));
  return number(value, Number.isFinite(apart) ? Math.min(9, Math.max(3, Math.ceil(apart) + 2)) : 4);
}

function drawPlot(plot, stats, until) {
  const { canvas } = plot;
  const width = (plot.width = canvas.clientWidth), height = canvas.clientHeight, ratio = devicePixelRatio;
  if (width === 0) return;
  if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  if (stats.rows > 0) {
    const [low, high] = span(plot, stats);
    const x = (time) => (time / until) * width;
    const room = high - low;
    const y = (value) => (room > 0 ? height - 4 - ((value - low) / room) * (height - 8) : height / 2);
    for (const [name, colour] of plot.lines) drawLine(context, stats.columns.time, stats.columns[name], x, y, colour);
    context.fillStyle = "#a9b6c4";
    context.shadowColor = "#14181d";
    context.shadowBlur = 3;
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "top";
    if (room > 0) context.fillText(label(high, low, high), 4, 3);
    context.textBaseline = "bottom";
    context.fillText(label(low, low, high), 4, height - 2);
    context.shadowBlur = 0;
  }
}

/** One stroke per column of pixels, from the lowest to the highest value in it. */
function drawLine(context, times, values, x, y, colour) {
  context.strokeStyle = colour;
  context.lineWidth = 1.4;
  context.lineJoin = "round";
  context.beginPath();
  for (let i = 0; i < times.length; ) {
    const column = Math.floor(x(times[i]));
    let low = values[i], high = values[i], last = i;
    while (last + 1 < times.length && Math.floor(x(times[last + 1])) === column) {
      last++;
      low = Math.min(low, values[last]);
      high = Math.max(high, values[last]);
    }
    if (last > i + 1) {
      context.lineTo(x(times[i]), y(values[i]));
      context.lineTo(column + 0.5, y(low));
      context.lineTo(column + 0.5, y(high));
    }
    context.lineTo(x(times[last]), y(values[last]));
    i = last + 1;
  }
  context.stroke();
}
