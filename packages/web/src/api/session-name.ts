import type { Session } from "@holdfast/protocol";

/** What to call a session: its title, or the best there is in its place. */
export function sessionName(
  session: Pick<Session, "id" | "title" | "purpose" | "agentName" | "summary">,
): string {
  const { title, purpose, agentName, summary, id } = session;
  const given = [title, firstLine(purpose), firstLine(summary), agentName].find(isText);
  return given?.trim() ?? `Session ${id.slice(0, 8)}`;
}

function firstLine(text: string | null): string | null {
  return text?.trim().split("\n", 1)[0] ?? null;
}

function isText(text: string | null): text is string {
  return text !== null && text.trim() !== "";
}

/** What the tab says. */
export function titleText(title: string | null, waiting: number): string {
  const name = title === null || title === "" ? "Holdfast" : `${title} · Holdfast`;
  return waiting === 0 ? name : `(${waiting}) ${name}`;
}
