import { untilDrained } from "./cluster/look-at-workers.ts";
import type { RuntimeContext } from "./context.ts";
import { sleep } from "./sleep.ts";
import { suspendActive } from "./worker/come-back.ts";
import type { SessionWorker } from "./worker/session-worker.ts";

export interface EndOptions {
  readonly deadlineMs: number;
  /** The sessions stay as they are, and their agents go on without this process. */
  readonly keepsAgents?: boolean;
}

interface Parts {
  readonly workers: ReadonlyMap<string, SessionWorker>;
  readonly stopping: AbortController;
  /** Releases everybody who waits for a worker. Resolves when nothing is being recovered. */
  readonly settleWith: () => Promise<void>;
  readonly closeFeeds: () => Promise<unknown>;
  readonly drainMs: number;
}

/** How long a stop waits for the snapshots of the last runs. A missing one is taken later. */
const FILES_MS = 1_000;

/** The end of the runtime. Only the first call counts. */
export function createEnd(
  context: RuntimeContext,
  { workers, stopping, settleWith, closeFeeds, drainMs }: Parts,
): (options: EndOptions) => Promise<void> {
  const { cluster, spares, log, offers, files } = context;

  const endWork = async (
    end: (worker: SessionWorker) => Promise<void>,
    deadlineMs: number,
  ): Promise<void> => {
    stopping.abort();
    const busy = [settleWith(), spares.stop(), ...[...workers.values()].map(end)];
    await Promise.race([Promise.allSettled(busy), sleep(deadlineMs)]);
  };

  const settle = async (): Promise<void> => {
    await closeFeeds();
    await offers.settle();
    await Promise.race([files.settle(), sleep(FILES_MS)]);
  };

  /** Another process goes on with the agents. */
  const leave = async (deadlineMs: number): Promise<void> => {
    await endWork((worker) => worker.detach(), deadlineMs);
    await settle();
    await cluster.stop({ keepsLease: true });
  };

  const stopAll = async (deadlineMs: number): Promise<void> => {
    if (!cluster.isAlone) {
      await cluster.drain();
      await untilDrained(workers, drainMs);
    }
    context.failpoint("stop.begun");
    const late = AbortSignal.timeout(deadlineMs);
    await endWork((worker) => worker.shutDown(), deadlineMs);
    context.failpoint("stop.suspending");
    // These sessions have no agent. Any that are not suspended in time are still active at the next start.
    if (cluster.isAlone) {
      await suspendActive(context, late).catch((err: unknown) =>
        log.error({ err }, "the sessions could not be suspended"),
      );
    }
    context.failpoint("stop.suspended");
    await settle();
    await cluster.stop();
  };

  let ended: Promise<void> | null = null;
  return ({ deadlineMs, keepsAgents = false }) =>
    (ended ??= keepsAgents ? leave(deadlineMs) : stopAll(deadlineMs));
}
