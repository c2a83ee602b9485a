import type { LineComment } from "./line-comments.ts";

const QUOTED_LINES = 20;
const QUOTED_LENGTH = 300;

/** The comments as a message to the agent: each with its file, its lines and their text. */
export function commentsText(comments: readonly LineComment[]): string {
  return comments.map(commentText).join("\n\n");
}

export function commentCount(count: number): string {
  return count === 1 ? "1 comment" : `${count} comments`;
}

function commentText({ path, where, quote, text }: LineComment): string {
  const left = quote.length - QUOTED_LINES;
  const lines = [
    ...quote.slice(0, QUOTED_LINES).map(shortened),
    ...(left > 0 ? [`… ${left} more`] : []),
  ];
  const fence = fenceOf(lines);
  return [`${spanOf(path)}, ${where}:`, `${fence}diff`, ...lines, fence, text.trim()].join("\n");
}

function shortened(line: string): string {
  return line.length > QUOTED_LENGTH ? `${line.slice(0, QUOTED_LENGTH)}…` : line;
}

/** Longer than all that the lines contain. */
function fenceOf(lines: readonly string[]): string {
  return "`".repeat(Math.max(3, longestTicks(lines.join("\n")) + 1));
}

function spanOf(path: string): string {
  const ticks = "`".repeat(longestTicks(path) + 1);
  return ticks.length === 1 ? `\`${path}\`` : `${ticks} ${path} ${ticks}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((ticks) => ticks.length));
}
