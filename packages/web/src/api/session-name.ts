import type { Session } from "@holdfast/protocol";

/** The name of a session: its title, or the best substitute. */
export function sessionName(
  session: Pick<Session, "id" | "title" | "purpose" | "agentName" | "summary">,
): string {
  const { title, purpose, agentName, summary, id } = session;
  const name = [title, firstLine(purpose), firstLine(summary), agentName].find(isText);
  return name?.trim() ?? `Session ${id.slice(0, 8)}`;
}

function firstLine(text: string | null): string | null {
  return text?.trim().split("\n", 1)[0] ?? null;
}

function isText(text: string | null): text is string {
  return text !== null && text.trim() !== "";
}

/** The title of the browser tab. */
export function titleText(title: string | null, waiting: number): string {
  const name = title === null || title === "" ? "Holdfast" : `${title} · Holdfast`;
  return waiting === 0 ? name : `(${waiting}) ${name}`;
}

/** The word with a capital letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
