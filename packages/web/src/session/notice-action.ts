import type { Message, Session } from "@holdfast/protocol";

/** What can be done about what went wrong. */
export type NoticeWay =
  | { readonly way: "fork" }
  /** The message that came to nothing is sent again. */
  | { readonly way: "again"; readonly text: string };

const AGAIN: ReadonlySet<unknown> = new Set(["run_failed", "run_interrupted", "run_cancelled"]);

/**
 * The one thing to do about a notice. Only the last word on a run offers something, and only while
 * nothing else has been begun: a message that has been answered since is not sent a second time.
 */
export function noticeWay(
  notice: Message,
  {
    session,
    after,
    messageOf,
  }: {
    readonly session: Pick<Session, "status" | "state" | "repoId" | "queued">;
    /** Whether anything was said after it. */
    readonly after: boolean;
    /** The message a run worked on. */
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
