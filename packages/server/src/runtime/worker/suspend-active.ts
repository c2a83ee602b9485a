import { setImmediate } from "node:timers/promises";
import type { RuntimeContext } from "../context.ts";
import { eachSession } from "./each-session.ts";
import { unlessUnreadable } from "../session-snapshot.ts";

/** Sessions that are changed together, in one transaction. */
const AT_ONCE = 64;

/** Suspends every active session with a repository, because the server stops. */
export async function suspendActive(
  { store, execute, clock, log }: Pick<RuntimeContext, "store" | "execute" | "clock" | "log">,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  for await (const page of eachSession(store, { statuses: ["active"], signal })) {
    const sessionIds = page.filter(({ repoId }) => repoId !== null).map(({ id }) => id);
    while (sessionIds.length > 0 && !signal.aborted) {
      await Promise.all(
        sessionIds.splice(0, AT_ONCE).map((sessionId) =>
          unlessUnreadable({ sessionId, log }, () =>
            execute({
              sessionId,
              command: (session) =>
                session === null ? [] : { type: "suspend", at: clock(), cause: "shutdown" },
            }),
          ),
        ),
      );
      await setImmediate();
    }
  }
}
