import type { History } from "@holdfast/protocol";

/** The messages as one text, with a note about omitted ones. */
export function historyText(
  { messages, leftOut }: History,
  { isAfter }: { readonly isAfter: boolean },
): string {
  const entries = messages.map(({ seq, role, timestamp, text, cut }) => {
    const rest = cut > 0 ? ` […${cut} more characters are left out]` : "";
    return `[${seq}] ${role}, ${timestamp}\n${text}${rest}`;
  });
  const last = messages.at(-1)?.seq;
  const older = `[${leftOut} older messages are left out: ask for those after a smaller number, or search]`;
  const newer = `[${leftOut} newer messages are left out: ask again with after=${last}]`;
  return [
    ...(leftOut > 0 && !isAfter ? [older] : []),
    ...entries,
    ...(messages.length === 0 ? ["No messages match."] : []),
    ...(leftOut > 0 && isAfter ? [newer] : []),
  ].join("\n\n");
}
