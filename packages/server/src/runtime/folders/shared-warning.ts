import type { Session } from "../../domain/session.ts";
import type { SessionAtWork, Store } from "../../storage/store.ts";

/** What is known about other sessions that work in the same folder. Their IDs are for a later comparison. */
export interface SharedWith {
  readonly text: string;
  readonly key: string;
}

const MAX_OTHERS = 100;
const NAMED = 3;

/** A sentence that warns, if other sessions are at work in the folder of the repository; null if there are none. */
export async function findOthersAtWork(
  store: Pick<Store, "sessionsAtWork">,
  { id, repoId, workspace }: Pick<Session, "id" | "repoId" | "workspace">,
): Promise<SharedWith | null> {
  if (repoId === null || workspace.kind === "worktree") return null;
  const sessions = await store.sessionsAtWork({ repoId, limit: MAX_OTHERS });
  const others = sessions.filter((each) => each.id !== id && each.kind === "shared");
  if (others.length === 0) return null;
  const named = others.slice(0, NAMED).map(nameOf);
  const more = others.length - named.length;
  const names = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const verb = others.length === 1 ? "is" : "are";
  return {
    key: others
      .map((each) => each.id)
      .toSorted()
      .join(),
    text:
      `${names} ${verb} at work in the same folder, so that their changes can meet. ` +
      "A session with a worktree of its own works apart.",
  };
}

function nameOf({ title, id }: Pick<SessionAtWork, "title" | "id">): string {
  return title === null ? `The session ${id}` : `"${title}"`;
}
