// The time line: which frames there are, which are at hand, which cannot be read, and where one is.

export class Track {
  /** go(index) when somebody points at a frame. */
  constructor(canvas, frames, go) {
    Object.assign(this, { canvas, frames, go, index: 0 });
    const point = (event) => {
      if (event.buttons & 1) go(this.nearest(this.numberAt(event.offsetX)));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      point(event);
    });
    canvas.addEventListener("pointermove", point);
    new ResizeObserver(() => this.draw()).observe(canvas);
    this.head = canvas.parentElement.querySelector("#playhead");
  }

  /** Frames with samples between them as fractions. */
  place(entry) {
    return entry.number + entry.sample / this.samples;
  }

  set(run) {
    const { list } = this.frames;
    this.samples = run.samples;
    this.low = Math.min(run.start_frame, list[0]?.number ?? run.start_frame);
    this.high = Math.max(this.low + 1, list.length ? this.place(list.at(-1)) : 0, run.ended ? 0 : run.start_frame + run.frames_wanted - 1);
    this.canvas.setAttribute("aria-valuemin", list.length ? list[0].number : 0);
    this.canvas.setAttribute("aria-valuemax", list.at(-1)?.number ?? 0);
    this.draw();
  }

  x(place) {
    return 8 + ((place - this.low) / (this.high - this.low)) * (this.width - 16);
  }

  numberAt(x) {
    return this.low + ((x - 8) / (this.width - 16)) * (this.high - this.low);
  }

  nearest(place) {
    let best = 0;
    this.frames.list.forEach((entry, i) => {
      if (Math.abs(this.place(entry) - place) < Math.abs(this.place(this.frames.list[best]) - place)) best = i;
    });
    return best;
  }

  move(index) {
    this.index = index;
    const entry = this.frames.list[index];
    this.head.hidden = !entry;
    if (!entry || this.low === undefined) return;
    this.canvas.setAttribute("aria-valuenow", entry.number);
    this.head.style.transform = `translateX(${this.x(this.place(entry)) - 2}px)`;
  }

  draw() {
    const { canvas } = this;
    const width = (this.width = canvas.clientWidth), height = canvas.clientHeight, ratio = devicePixelRatio;
    if (width === 0 || this.low === undefined) return;
    if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.fillStyle = "#14181d";
    context.beginPath();
    context.roundRect(0, 9, width, 14, 5);
    context.fill();
    this.drawFrames(context);
    this.drawNumbers(context, width);
    this.move(this.index);
  }

  drawFrames(context) {
    const { list } = this.frames;
    const step = (this.x(1 / this.samples) - this.x(0)) || 1;
    const gap = step > 5 ? 1 : 0;
    list.forEach((entry, i) => {
      const kept = this.frames.at(i);
      context.fillStyle = kept?.error ? "#ef6f6c" : kept ? "#46b5d9" : "#3b4754";
      context.fillRect(this.x(this.place(entry)) - step / 2, 12, Math.max(step - gap, 1), 8);
    });
  }

  drawNumbers(context, width) {
    const rough = ((this.high - this.low) * 56) / width;
    const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(rough, 1))));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 10 * power;
    context.fillStyle = "#93a1b0";
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "top";
    for (let n = Math.ceil(this.low / step) * step; n <= this.high; n += step) {
      const label = String(n), half = context.measureText(label).width / 2;
      context.fillText(label, Math.min(width - half, Math.max(half, this.x(n))), 30);
    }
  }
}
