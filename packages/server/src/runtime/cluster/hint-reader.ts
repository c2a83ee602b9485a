import type { Hint } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { GlobalFeed } from "../feeds/global-feed.ts";
import type { SessionFeeds } from "../feeds/session-feeds.ts";
import { CHANGED, WANTED, type Nudge, type SessionWorker } from "../worker/session-worker.ts";

export interface HintReaderOptions {
  readonly feeds: Pick<SessionFeeds, "touch" | "lookAgain" | "end">;
  readonly globalFeed: Pick<GlobalFeed, "touch" | "reset" | "end">;
  readonly workers: ReadonlyMap<string, Pick<SessionWorker, "nudge">>;
  readonly wake: (sessionId: string, how: Nudge) => void;
  readonly signal: AbortSignal;
}

/** Passes hints about writes of other processes to feeds, workers and the cluster. */
export function createHintReader(
  context: RuntimeContext,
  { feeds, globalFeed, workers, wake, signal }: HintReaderOptions,
): (hint: Hint) => void {
  const { store, node, cluster, slots, log } = context;
  const onFailure = (err: unknown): void =>
    log.error({ err }, "writes of other processes could not be read");

  const readAll = (): void => {
    feeds.lookAgain();
    globalFeed.reset();
    for (const worker of workers.values()) worker.nudge(CHANGED);
    // On a shared database, recovery looks for sessions every few seconds anyway.
    if (store.isShared) return void cluster.lookAgain();
    store.unsettledSessions().then((ids) => ids.forEach((id) => wake(id, CHANGED)), onFailure);
  };

  return (hint) => {
    if (signal.aborted) return;
    switch (hint.hint) {
      case "anything":
        return readAll();
      case "nodes":
        return void cluster.lookAgain();
      case "output":
        return feeds.touch(hint.sessionId);
      case "change":
        feeds.touch(hint.sessionId);
        globalFeed.touch(hint.sessionId);
        return workers.get(hint.sessionId)?.nudge(CHANGED);
      case "deleted":
        feeds.end(hint.sessionId);
        globalFeed.end(hint.sessionId);
        workers.get(hint.sessionId)?.nudge(CHANGED);
        return void context.forgetSession(hint.sessionId).catch(onFailure);
      case "wanted": {
        const isForThisNode = hint.node === node || (hint.node === null && !slots.isFull);
        return isForThisNode ? wake(hint.sessionId, WANTED) : undefined;
      }
      default:
        return hint satisfies never;
    }
  };
}
