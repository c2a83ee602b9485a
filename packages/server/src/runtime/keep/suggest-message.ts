import type { Message } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";

const SUBJECT_LENGTH = 72;
const MAX_REQUESTS = 20;

/** A message for a commit of the work of a session: its title, and what the user asked for. */
export function suggestMessage(
  { id, title }: Pick<Session, "id" | "title">,
  conversation: readonly Message[],
): string {
  const requests = conversation
    .filter(({ role }) => role === "user")
    .flatMap(({ content: { text } }) => (typeof text === "string" ? [firstLine(text)] : []))
    .filter((line) => line !== "");
  const subject = firstLine(title ?? "") || requests[0] || "Work of a session";
  const listed = requests.length > 1 ? requests.slice(-MAX_REQUESTS) : [];
  return [
    subject,
    ...(listed.length === 0 ? [] : ["", ...listed.map((line) => `- ${line}`)]),
    "",
    `Session: ${id}`,
  ].join("\n");
}

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.trim() ?? "";
  return line.length > SUBJECT_LENGTH ? `${line.slice(0, SUBJECT_LENGTH - 1).trimEnd()}…` : line;
}
