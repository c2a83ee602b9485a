import Anser from "anser";

/** A span of terminal output and its CSS classes. */
export interface AnsiSpan {
  readonly text: string;
  readonly classes: string;
}

/** The spans of `terminalText`. */
export function ansiSpans(text: string): readonly AnsiSpan[] {
  if (!text.includes(ESCAPE)) return text === "" ? [] : [{ text, classes: "" }];
  return Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true })
    .filter(({ content }) => content !== "")
    .map((entry) => ({ text: entry.content, classes: classesOf(entry) }));
}

const ESCAPE = "\u001B";
/** The terminal colours in the order of their numbers. */
const COLORS = [
  ["black", 0, 0, 0],
  ["red", 205, 0, 0],
  ["green", 0, 205, 0],
  ["yellow", 205, 205, 0],
  ["blue", 0, 0, 238],
  ["magenta", 205, 0, 205],
  ["cyan", 0, 205, 205],
  ["white", 229, 229, 229],
  ["bright-black", 127, 127, 127],
  ["bright-red", 255, 92, 92],
  ["bright-green", 92, 255, 92],
  ["bright-yellow", 255, 255, 92],
  ["bright-blue", 92, 92, 255],
  ["bright-magenta", 255, 92, 255],
  ["bright-cyan", 92, 255, 255],
] as const;

/** All backgrounds become one highlight, because not every pair of colours is readable. */
function classesOf({ fg, bg, fg_truecolor: rgb, decorations }: Anser.AnserJsonEntry): string {
  const marked = hasColor(bg) || decorations.includes("reverse");
  return [
    hasColor(fg) && !marked ? `ansi-${colorName(fg, rgb)}` : "",
    ...decorations.filter((name) => name !== "reverse").map((name) => `ansi-${name}`),
    marked ? "ansi-marked" : "",
  ]
    .filter((name) => name !== "")
    .join(" ");
}

/** Without a colour the value is null, contrary to its type. */
function hasColor(color: string | null): color is string {
  return typeof color === "string" && color.startsWith("ansi-");
}

/** Maps other colours to the nearest of the sixteen readable ones. */
function colorName(color: string, rgb: string | null): string {
  const name = color.slice("ansi-".length);
  if (name === "truecolor") return nearest((rgb ?? "").split(",").map(Number));
  const index = /^palette-(\d+)$/u.exec(name)?.[1];
  return index === undefined ? name : nearest(paletteColor(Number(index)));
}

/** After the sixteen: a 6×6×6 cube, then greys. */
function paletteColor(index: number): readonly number[] {
  if (index >= 232) return [0, 0, 0].fill(8 + (index - 232) * 10);
  const at = index - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => step * 51);
}

function nearest([red = 0, green = 0, blue = 0]: readonly number[]): string {
  const distances = COLORS.map(
    ([, r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2,
  );
  return COLORS[distances.indexOf(Math.min(...distances))]?.[0] ?? "white";
}
