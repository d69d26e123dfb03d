// The list of parts: whether each is shown, and by what it is coloured.

import { count, words } from "./format.js";

const MADE = "surface"; // of the liquid, by the server, when somebody wants to see it
const nouns = { points: ["point", "points"], curves: ["curve", "curves"], triangles: ["triangle", "triangles"] };

function tell(part) {
  const own = part.kind === "points" ? part.points : part.elements;
  const text = `${count(own)} ${nouns[part.kind][own === 1 ? 0 : 1]}`;
  return part.kind === "points" ? text : `${text}, ${count(part.points)} vertices`;
}

export class Panel {
  /** look: Map of part to {visible, field}; changed() after a choice. */
  constructor(element, look, changed) {
    Object.assign(this, { element, look, changed, rows: new Map() });
  }

  update(frame) {
    for (const part of frame.parts) {
      if (!this.look.has(part.name)) this.look.set(part.name, { visible: part.name !== MADE, field: part.name === MADE ? "" : part.field ?? "" });
      if (!this.rows.has(part.name)) this.rows.set(part.name, this.make(part));
      const row = this.rows.get(part.name);
      row.note.textContent = part.name === MADE && part.points === 0 ? "made when it is shown" : tell(part);
      row.seen ||= part.points > 0 || part.name === MADE;
      row.item.hidden = !row.seen;
      const fields = ["", ...part.fields];
      if (row.fields !== fields.join()) this.offer(row, part.name, fields);
    }
    this.mark();
  }

  make(part) {
    const item = document.createElement("li");
    item.className = "part";
    item.innerHTML = '<input type="checkbox" /><label class="name"></label><select></select><small></small>';
    const row = { item, box: item.querySelector("input"), name: item.querySelector("label"), select: item.querySelector("select"), note: item.querySelector("small") };
    const id = `part-${part.name}`;
    row.box.id = id;
    row.name.htmlFor = id;
    row.name.textContent = words(part.name);
    row.select.setAttribute("aria-label", `colour ${part.name} by`);
    row.box.addEventListener("change", () => this.choose(part.name, { visible: row.box.checked }));
    row.select.addEventListener("change", () => this.choose(part.name, { field: row.select.value }));
    this.element.append(item);
    return row;
  }

  offer(row, name, fields) {
    row.fields = fields.join();
    row.select.replaceChildren(...fields.map((field) => new Option(field === "" ? "one colour" : words(field), field)));
    row.select.disabled = fields.length === 1;
    row.select.value = this.look.get(name).field;
  }

  choose(name, choice) {
    Object.assign(this.look.get(name), choice);
    if (name === MADE && "visible" in choice && this.look.has("liquid")) this.look.get("liquid").visible = !choice.visible;
    this.mark();
    this.changed();
  }

  /** The n-th part, counted from 0. */
  toggle(n) {
    const name = [...this.rows.keys()][n];
    if (name) this.choose(name, { visible: !this.look.get(name).visible });
  }

  mark() {
    for (const [name, row] of this.rows) {
      const { visible, field } = this.look.get(name);
      row.box.checked = visible;
      row.item.classList.toggle("off", !visible);
      if (row.select.value !== field) row.select.value = field;
    }
  }

  /** What the frames must bring along: the visible parts, each with its field. */
  want() {
    return new Map([...this.look].filter(([, { visible }]) => visible).map(([name, { field }]) => [name, field]));
  }

  /** The fields that colour something in a frame. */
  fields(frame) {
    const used = frame.parts.filter((part) => part.points > 0 && this.look.get(part.name).visible);
    return [...new Set(used.map((part) => this.look.get(part.name).field))].filter((field) => field !== "");
  }
}
