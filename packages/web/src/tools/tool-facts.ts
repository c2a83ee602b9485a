import type { ToolCall, ToolItem } from "./tool-call.ts";

/** Whether there is more to a call than its line says. */
export function hasDetails(call: ToolCall): boolean {
  return inputOf(call) !== null || placesOf(call).length > 0 || call.items.length > 0;
}

/** A change says what it was given; so does the line of a command, and the place of what was read. */
export function inputOf({ input, kind, title, items, locations }: ToolCall): string | null {
  const isSaid =
    isChange(items) ||
    (kind === "execute" && input === title) ||
    (kind === "read" && locations.length > 0);
  return isSaid ? null : input;
}

/** A change says where it is, too. */
export function placesOf({ locations, items }: ToolCall): ToolCall["locations"] {
  return isChange(items) ? [] : locations;
}

function isChange(items: readonly ToolItem[]): boolean {
  return items.some(({ item }) => item === "diff");
}
