import type { JsonObject } from "../../../domain/json.ts";
import { bundleChecksum } from "../bundle-lines.ts";

export async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

export async function* from(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

export function parsed(line: string | undefined): JsonObject {
  const value: JsonObject = JSON.parse(line ?? "null");
  return value;
}

/** Changes some lines and corrects the end. */
export function changed(
  lines: readonly string[],
  change: (line: JsonObject, index: number) => JsonObject | null,
): string[] {
  const kept = lines.slice(0, -1).flatMap((line, index) => {
    const value = change(parsed(line), index);
    return value === null ? [] : [JSON.stringify(value)];
  });
  return ended(kept);
}

/** Appends the end line with count and checksum. */
export function ended(lines: readonly string[]): string[] {
  const checksum = bundleChecksum();
  for (const line of lines) checksum.add(line);
  return [
    ...lines,
    JSON.stringify({ type: "end", lines: lines.length + 1, sha256: checksum.end() }),
  ];
}
