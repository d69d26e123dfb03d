// Numbers and units for people.

const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** "12.3", "0.0042", "1.2×10⁶": `digits` that count. */
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) {
    const [head, power] = value.toExponential(digits - 1).split("e");
    const mantissa = head.includes(".") ? head.replace(/\.?0+$/, "") : head;
    return `${mantissa}×10${[...String(Number(power))].map((c) => raised[c]).join("")}`;
  }
  const decimals = size === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = value.toFixed(decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** "cm/s", "cm³", "dyn/cm²". */
export function unit(text) {
  return (text ?? "").replace(/(?<=[a-z])([0-9])/g, (digit) => raised[digit]);
}

/** "film height". */
export function words(name) {
  return name.replaceAll("_", " ");
}

export function count(value) {
  return value.toLocaleString("en").replaceAll(",", "\u2009");
}
