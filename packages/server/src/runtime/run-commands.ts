import { isAbsence } from "../storage/fault.ts";
import type { Store, StoredSession } from "../storage/store.ts";
import { executeCommand, type Executed, type Execution } from "./execute-command.ts";
import type { GlobalFeed } from "./feeds/global-feed.ts";
import type { SessionFeeds } from "./feeds/session-feeds.ts";
import type { SessionWorker } from "./worker/session-worker.ts";

export interface CommandOptions {
  readonly store: Store;
  readonly newId: () => string;
  readonly feeds: Pick<SessionFeeds, "touch" | "addCommit" | "end">;
  readonly globalFeed: Pick<GlobalFeed, "touch" | "end">;
  readonly workers: ReadonlyMap<string, Pick<SessionWorker, "ownership">>;
  /** Called after each commit, before the feeds show it. */
  readonly onCommit: (
    sessionId: string,
    executed: Executed & { readonly ok: true },
    tookMs: number,
  ) => Promise<void>;
  /** The caller got an error, but the command may be stored. */
  readonly onUnknown: (sessionId: string) => void;
}

/** Runs commands, and passes on what they store to the feeds and the worker of the session. */
export function createCommands(options: CommandOptions) {
  const { store, newId, feeds, globalFeed, workers } = options;

  const show = (sessionId: string, { session, committed }: Executed & { readonly ok: true }) => {
    if (session === null || committed === null || committed.stored === null) {
      feeds.end(sessionId);
      return globalFeed.end(sessionId);
    }
    const record = store.recordOf(committed.stored);
    const { written, firstSeq } = committed;
    if (written === null) feeds.touch(sessionId);
    else feeds.addCommit(sessionId, firstSeq, { written, session: record });
    // Several nodes may change the session at once. Then only the database knows the order.
    globalFeed.touch(sessionId, store.isShared ? null : record);
  };

  const executeOn = async (on: Store, execution: Execution): Promise<Executed> => {
    const { sessionId } = execution;
    const startedAt = performance.now();
    const known: StoredSession | null = workers.get(sessionId)?.ownership.known ?? null;
    const executed = await executeCommand({ store: on, newId, known }, execution);
    if (!executed.ok || executed.committed === null) return executed;
    workers.get(sessionId)?.ownership.learn(executed.committed);
    await options.onCommit(sessionId, executed, performance.now() - startedAt);
    show(sessionId, executed);
    return executed;
  };

  const execute = async (execution: Execution): Promise<Executed> => {
    try {
      return await executeOn(store, execution);
    } catch (error) {
      if (isAbsence(error)) options.onUnknown(execution.sessionId);
      throw error;
    }
  };

  return { execute, executeOn };
}
