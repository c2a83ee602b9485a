import type { Curve } from "./growth-bench.ts";

const [WIDTH, HEIGHT] = [720, 400];
const BOX = { left: 70, right: 560, top: 30, bottom: 340 } as const;
const LABEL_GAP = 15;

export interface Plot {
  readonly title: string;
  /** Label of the horizontal axis. */
  readonly axisLabel: string;
  readonly curves: readonly Curve[];
}

/** Both axes are logarithmic: constant cost is a horizontal line, and cost proportional to the size is a diagonal. */
export function plotSvg({ title, axisLabel, curves }: Plot): string {
  const points = curves.flatMap((curve) => curve.points);
  const xs = axis(
    points.map(({ size }) => size),
    { from: BOX.left, to: BOX.right },
  );
  const ys = axis(
    points.map(({ p50Ms }) => p50Ms),
    { from: BOX.bottom, to: BOX.top },
  );
  const labels = spreadLabels(curves.map(({ points: own }) => ys.at(own.at(-1)?.p50Ms ?? 1)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.curve { fill: none; stroke-width: 2; }
${COLOURS.map(({ light }, index) => `.c${index} { stroke: ${light}; } .f${index} { fill: ${light}; }`).join("\n")}
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; }
.grid { stroke: #3d444d; }
${COLOURS.map(({ dark }, index) => `.c${index} { stroke: ${dark}; } .f${index} { fill: ${dark}; }`).join("\n")}
}
</style>
<text x="${BOX.left}" y="18" font-weight="bold">${title}</text>
${xs.ticks.map((tick) => gridLine({ x: xs.at(tick), label: count(tick) })).join("\n")}
${ys.ticks.map((tick) => gridLine({ y: ys.at(tick), label: `${tick} ms` })).join("\n")}
<text x="${(BOX.left + BOX.right) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${axisLabel}</text>
${curves.map((curve, index) => drawCurve(curve, { index, xs, ys, labelY: labels[index] ?? 0 })).join("\n")}
</svg>
`;
}

/** Distinguishable in both themes and with red-green colour blindness. */
const COLOURS = [
  { light: "#0969da", dark: "#58a6ff" },
  { light: "#bc4c00", dark: "#ffa657" },
  { light: "#8250df", dark: "#d2a8ff" },
  { light: "#1a7f37", dark: "#56d364" },
  { light: "#9a6700", dark: "#e3b341" },
  { light: "#bf3989", dark: "#f778ba" },
] as const;

interface Axis {
  readonly ticks: readonly number[];
  at(value: number): number;
}

function axis(values: readonly number[], { from, to }: { from: number; to: number }): Axis {
  const usable = values.filter((value) => value > 0 && Number.isFinite(value));
  const low = Math.floor(Math.log10(Math.min(...usable)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...usable))));
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) =>
      Number((10 ** (low + index)).toPrecision(1)),
    ),
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  };
}

function gridLine({
  x,
  y,
  label,
}: {
  readonly x?: number;
  readonly y?: number;
  readonly label: string;
}): string {
  if (x !== undefined) {
    return `<line class="grid" x1="${one(x)}" x2="${one(x)}" y1="${BOX.top}" y2="${BOX.bottom}"/><text x="${one(x)}" y="${BOX.bottom + 18}" text-anchor="middle">${label}</text>`;
  }
  const at = one(y ?? 0);
  return `<line class="grid" x1="${BOX.left}" x2="${BOX.right}" y1="${at}" y2="${at}"/><text x="${BOX.left - 8}" y="${at + 4}" text-anchor="end">${label}</text>`;
}

function drawCurve(
  { operation, points }: Curve,
  { index, xs, ys, labelY }: Readonly<{ index: number; xs: Axis; ys: Axis; labelY: number }>,
): string {
  const colour = index % COLOURS.length;
  const places = points.map(({ size, p50Ms }) => ({ x: one(xs.at(size)), y: one(ys.at(p50Ms)) }));
  const line = places.map(({ x, y }) => `${x},${y}`).join(" ");
  const dots = places
    .map(({ x, y }) => `<circle class="f${colour}" cx="${x}" cy="${y}" r="3"/>`)
    .join("");
  return `<polyline class="curve c${colour}" points="${line}"/>${dots}<text class="f${colour}" x="${BOX.right + 10}" y="${one(labelY) + 4}">${operation}</text>`;
}

/** Moves labels apart whose curves end close together. */
function spreadLabels(heights: readonly number[]): readonly number[] {
  const placed = heights.map((height, index) => ({ height, index }));
  placed.sort((left, right) => left.height - right.height);
  const result = heights.map((height) => height);
  let last = -Infinity;
  for (const { height, index } of placed) {
    last = Math.max(height, last + LABEL_GAP);
    result[index] = last;
  }
  return result;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function one(value: number): number {
  return Math.round(value * 10) / 10;
}
