import type { Hint } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { GlobalFeed } from "../feeds/global-feed.ts";
import type { SessionFeeds } from "../feeds/session-feeds.ts";
import type { SessionWorker } from "../worker/session-worker.ts";

export interface HintReaderOptions {
  readonly feeds: Pick<SessionFeeds, "touch" | "lookAgain" | "end">;
  readonly globalFeed: Pick<GlobalFeed, "touch" | "reset" | "end">;
  readonly workers: ReadonlyMap<string, Pick<SessionWorker, "nudge">>;
  readonly wake: (sessionId: string, how: { readonly isWanted: boolean }) => void;
  readonly signal: AbortSignal;
}

/** Makes those look again whom something may concern that another process has written. */
export function createHintReader(
  context: RuntimeContext,
  { feeds, globalFeed, workers, wake, signal }: HintReaderOptions,
): (hint: Hint) => void {
  const { store, node, cluster, places, log } = context;
  const failed = (err: unknown): void =>
    log.error({ err }, "what others have written could not be looked at");

  const lookAtAll = (): void => {
    feeds.lookAgain();
    globalFeed.reset();
    for (const worker of workers.values()) worker.nudge();
    // On a shared database it is looked for every few seconds anyway.
    if (store.engine === "postgres") return cluster.lookAgain();
    store
      .unsettledSessions()
      .then((ids) => ids.forEach((id) => wake(id, { isWanted: false })), failed);
  };

  return (hint) => {
    if (signal.aborted) return;
    switch (hint.hint) {
      case "anything":
        return lookAtAll();
      case "nodes":
        return cluster.lookAgain();
      case "output":
        return feeds.touch(hint.sessionId);
      case "change":
        feeds.touch(hint.sessionId);
        globalFeed.touch(hint.sessionId);
        return workers.get(hint.sessionId)?.nudge();
      case "deleted":
        feeds.end(hint.sessionId);
        globalFeed.end(hint.sessionId);
        workers.get(hint.sessionId)?.nudge();
        return void context.forgetSession(hint.sessionId).catch(failed);
      case "wanted": {
        const isForUs = hint.node === node || (hint.node === null && !places.isFull);
        return isForUs ? wake(hint.sessionId, { isWanted: true }) : undefined;
      }
      default:
        return hint satisfies never;
    }
  };
}
