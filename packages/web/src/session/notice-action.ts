import type { Message, Session } from "@holdfast/protocol";

/** The action offered beside a notice. */
export type NoticeWay =
  | { readonly way: "fork" }
  /** Sends the message of the failed run again. */
  | { readonly way: "again"; readonly text: string };

const AGAIN: ReadonlySet<unknown> = new Set(["run_failed", "run_interrupted", "run_cancelled"]);

/**
 * The action for a notice. Only the last notice of a run offers one, and only while nothing else has started: a
 * message that was answered since is not sent again.
 */
export function noticeWay(
  notice: Message,
  {
    session,
    after,
    messageOf,
  }: {
    readonly session: Pick<Session, "status" | "state" | "repoId" | "queued">;
    /** Whether a message follows the notice. */
    readonly after: boolean;
    /** The text of the message a run worked on. */
    readonly messageOf: (runId: string) => string | null;
  },
): NoticeWay | null {
  const { notice: kind, runId } = notice.content;
  if (kind === "session_failed") return session.status === "error" ? { way: "fork" } : null;
  const isOpen = session.status === "active" || session.status === "suspended";
  if (!AGAIN.has(kind) || after || !isOpen || session.state !== "idle" || session.queued > 0)
    return null;
  const run = typeof runId === "string" ? runId : notice.runId;
  const text = run === null ? null : messageOf(run);
  return text === null ? null : { way: "again", text };
}
