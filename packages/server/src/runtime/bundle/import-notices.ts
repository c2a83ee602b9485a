import type { Session } from "../../domain/session.ts";
import type { BundleOutline } from "./read-bundle.ts";

/** What is not as it was where the session came from, for its transcript. */
export function importNotices(
  session: Session,
  { repoPath, session: { session: exported } }: BundleOutline,
): readonly string[] {
  const notices: string[] = [];
  const canWork = "activity" in session.standing;
  if (canWork && repoPath !== null && session.repoId === null) {
    notices.push(
      `Imported without its repository: ${repoPath} is not registered here. ` +
        "The session can be read, and no agent can work in it. To go on with it, delete it, add the repository, and import the bundle again.",
    );
  }
  if (exported.agentId !== session.agentId) {
    notices.push(
      `Imported without its agent id: another session here is called ${exported.agentId}.`,
    );
  }
  const queued = session.queue.length;
  if (queued > 0) {
    notices.push(
      `Imported with ${queued} queued ${queued === 1 ? "message" : "messages"}, ` +
        'which may have been delivered where the session came from. They are held until the delivery is set to "open".',
    );
  }
  return notices;
}
