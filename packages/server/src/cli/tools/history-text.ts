import type { AgentHistory } from "@holdfast/protocol";

/** Messages as one text, which says what is not in it. */
export function historyText(
  { messages, leftOut }: AgentHistory,
  { isFromPlace }: { readonly isFromPlace: boolean },
): string {
  const entries = messages.map(({ seq, role, timestamp, text, cut }) => {
    const rest = cut > 0 ? ` […${cut} more characters are left out]` : "";
    return `[${seq}] ${role}, ${timestamp}\n${text}${rest}`;
  });
  const last = messages.at(-1)?.seq;
  const older = `[${leftOut} older messages are left out: ask for those after a smaller number, or search]`;
  const newer = `[${leftOut} newer messages are left out: ask again with after=${last}]`;
  return [
    ...(leftOut > 0 && !isFromPlace ? [older] : []),
    ...entries,
    ...(messages.length === 0 ? ["Nothing was said that fits."] : []),
    ...(leftOut > 0 && isFromPlace ? [newer] : []),
  ].join("\n\n");
}
