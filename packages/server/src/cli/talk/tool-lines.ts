import type { ToolContent } from "@holdfast/protocol";
import { z } from "zod";
import { diffLines, type DiffLine, type FileDiff } from "./diff-lines.ts";
import { neutralise, neutraliseLine } from "../terminal/neutralise.ts";
import type { Colouring, Paint } from "../terminal/paint.ts";
import { fit, wrap } from "../terminal/text-width.ts";

export interface LineStyle {
  readonly paint: Paint;
  readonly columns: number;
}

/** Lines shown of a change that was made; a permission question shows all of them. */
const SHOWN_DIFF = 20;
const SHOWN_REASON = 3;

/** One line for a tool call: status, title and kind. */
export function toolLine(content: ToolContent, { paint, columns }: LineStyle): string {
  const { sign, colour } = markOf(content.status ?? "", paint);
  const title = neutraliseLine(content.title ?? content.tool);
  const kind = neutraliseLine(content.kind ?? "");
  const ending = content.status === "unfinished" ? "  unfinished" : "";
  const shownKind = `${kind === "" || kind === title ? "" : `  ${kind}`}${ending}`;
  // One column stays free: a line that fills the last column wraps.
  const shown = fit(title, Math.max(10, columns - 3 - shownKind.length));
  return `${colour(sign)} ${shown}${paint.dim(shownKind)}`;
}

/** The changes of an ended call, or the reason of its failure. */
export function outcomeLines(content: ToolContent, style: LineStyle): readonly string[] {
  const reason = content.status === "failed" ? reasonOf(content) : [];
  return [
    ...diffsIn(content).flatMap((diff) => compactDiff(diff, style)),
    ...reason.map((line) => style.paint.dim(`  ${fit(line, style.columns - 3)}`)),
  ];
}

/** All changed lines, wrapped. */
export function wholeDiff(diff: FileDiff, style: LineStyle): readonly string[] {
  const shown = diffLines(diff);
  const width = style.columns - 4;
  const lines = shown.lines.flatMap(({ mark, text }) =>
    wrap(neutralise(text), width).map((piece, index) =>
      paintDiffLine(`${index === 0 ? mark : " "} ${piece}`, mark, style.paint),
    ),
  );
  return [headOf(diff, shown, style), ...lines];
}

export function diffsIn({ output }: ToolContent): readonly FileDiff[] {
  return Array.isArray(output) ? output.flatMap(parseDiff) : [];
}

export function isRunning({ status }: ToolContent): boolean {
  return status === "pending" || status === "in_progress";
}

function compactDiff(diff: FileDiff, style: LineStyle): readonly string[] {
  const shown = diffLines(diff);
  const first = shown.lines.slice(0, SHOWN_DIFF);
  const more = shown.lines.length - first.length;
  return [
    headOf(diff, shown, style),
    ...first.map(({ mark, text }) =>
      paintDiffLine(`${mark} ${fit(neutralise(text), style.columns - 5)}`, mark, style.paint),
    ),
    ...(more > 0 ? [style.paint.dim(`    … ${more} more lines`)] : []),
  ];
}

function headOf(
  { path }: FileDiff,
  { added, removed }: { added: number; removed: number },
  { paint }: LineStyle,
): string {
  const counts = `${paint.green(`+${added}`)} ${paint.red(`−${removed}`)}`;
  return `  ${neutraliseLine(path)} ${counts}`;
}

function paintDiffLine(text: string, mark: DiffLine["mark"], paint: Paint): string {
  const line = `  ${text}`.trimEnd();
  if (mark === "+") return paint.green(line);
  return mark === "-" ? paint.red(line) : paint.dim(line);
}

function markOf(status: string, paint: Paint): { sign: string; colour: Colouring } {
  switch (status) {
    case "completed":
      return { sign: "✓", colour: paint.green };
    case "failed":
      return { sign: "✗", colour: paint.red };
    case "cancelled":
      return { sign: "⊘", colour: paint.dim };
    case "unfinished":
      return { sign: "◌", colour: paint.yellow };
    default:
      return { sign: "●", colour: paint.yellow };
  }
}

function reasonOf({ result, output }: ToolContent): readonly string[] {
  const texts = Array.isArray(output) ? output.map((item: unknown) => textIn(item)) : [];
  const text = typeof result === "string" ? result : texts.join("\n");
  const lines = neutralise(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.slice(0, SHOWN_REASON);
}

function textIn(item: unknown): string {
  const isText = typeof item === "object" && item !== null && "text" in item;
  return isText && typeof item.text === "string" ? item.text : "";
}

const diffSchema = z.object({
  type: z.literal("diff"),
  path: z.string(),
  oldText: z.string().nullish(),
  newText: z.string(),
});

function parseDiff(item: unknown): readonly FileDiff[] {
  const { data } = diffSchema.safeParse(item);
  return data === undefined ? [] : [{ ...data, oldText: data.oldText ?? null }];
}
