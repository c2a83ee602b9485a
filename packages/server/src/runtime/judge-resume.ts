import { shouldResume, type ResumeDecision, type ResumeLimits } from "../domain/should-resume.ts";
import type { Store } from "../storage/store.ts";

/** Whether to take a stored session up again: one row read, no run, queue or message. */
export async function judgeResume(
  store: Store,
  { sessionId, now, limits }: { sessionId: string; now: number; limits: ResumeLimits },
): Promise<ResumeDecision> {
  const read = await store.readSession(sessionId);
  switch (read.found) {
    case "session":
      return shouldResume(read.record, { now, limits });
    case "nothing":
      return shouldResume("missing", { now, limits });
    case "unreadable":
      return shouldResume("invalid", { now, limits });
    default:
      return read satisfies never;
  }
}
