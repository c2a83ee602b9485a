import type { Message, Session } from "@holdfast/protocol";

/** Whether the session can go back to before this message: it must be the one that its run answers. */
export function canGoBack(
  { status, repoId }: Pick<Session, "status" | "repoId">,
  { role, runId, content }: Pick<Message, "role" | "runId" | "content">,
): boolean {
  const isOpen = status === "active" || status === "suspended";
  const wasSteered = content["injected"] === true || content["steering"] !== undefined;
  return isOpen && repoId !== null && role === "user" && runId !== null && !wasSteered;
}
