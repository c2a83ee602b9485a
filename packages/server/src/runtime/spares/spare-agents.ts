import type { Provider, SpareAgent } from "../../providers/provider.ts";
import type { RuntimeContext } from "../context.ts";
import { NO_SPARES, type SpareAgents } from "./spares.ts";

/** A spare does not start at the same moment as the agent that it will replace: that one is needed now. */
const LATER_MS = 500;
/** The pause after a start that failed, or a spare that ended by itself. It doubles with each in a row. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** How often it is tried again while no slot is free. */
const FULL_MS = 5_000;
/** How many sessions are searched for the repository that will probably be used next. */
const NEWEST = 20;

type Context = Pick<
  RuntimeContext,
  "provider" | "defaultProvider" | "openWorkspace" | "slots" | "cluster" | "store" | "log" | "newId"
>;

interface Spare {
  readonly agent: SpareAgent;
  readonly provider: string;
  readonly repoId: string;
}

export function createSpareAgents(context: Context, wanted: number): SpareAgents {
  if (wanted === 0) return NO_SPARES;
  const { slots, cluster, log } = context;
  /** By slot. */
  const spares = new Map<string, Spare>();
  let starting: { readonly slot: string; readonly abort: AbortController } | null = null;
  let work: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let repoId: string | null = null;
  let failures = 0;

  const lookIn = (ms: number): void => {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(lookNow, ms).unref();
  };

  const lookNow = (): void => {
    work = work
      .then(look)
      .catch((err: unknown) => log.error({ err }, "spare agents could not be looked after"));
  };

  const pause = (): number => {
    failures += 1;
    return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  };

  const end = async (slot: string, { agent }: Spare): Promise<void> => {
    spares.delete(slot);
    await agent.stop();
    slots.leave(slot);
  };

  const look = async (): Promise<void> => {
    const name = context.defaultProvider();
    const provider = context.provider(name);
    for (const [slot, spare] of spares)
      if (spare.provider !== name || spare.repoId !== repoId) await end(slot, spare);
    // The last slot is left to sessions.
    while (!isStopped && !cluster.isDraining && spares.size < Math.min(wanted, slots.limit - 1)) {
      if (provider?.startSpare === undefined || repoId === null) return;
      if (slots.taken >= slots.limit) return lookIn(FULL_MS);
      const started = await start(provider, repoId).catch((err: unknown) => {
        log.warn({ provider: name, err }, "a spare agent could not be started");
        return "failed" as const;
      });
      if (started === "failed") return lookIn(pause());
      if (started === "impossible") return;
    }
  };

  const start = async (
    provider: Provider,
    inRepo: string,
  ): Promise<"started" | "failed" | "impossible"> => {
    const opened = await context.openWorkspace(inRepo);
    if (!opened.ok) return "impossible";
    const { workspace } = opened;
    const slot = `spare ${context.newId()}`;
    const abort = new AbortController();
    starting = { slot, abort };
    void slots.take(slot);
    slots.use(slot, "idle");
    let agent: SpareAgent | null = null;
    try {
      agent = (await provider.startSpare?.({ workspace, signal: abort.signal })) ?? null;
      if (agent === null) return "impossible";
      if (abort.signal.aborted) return "started";
      keep(slot, { agent, provider: provider.name, repoId: inRepo });
      agent = null;
      return "started";
    } catch (error) {
      if (abort.signal.aborted) return "started";
      throw error;
    } finally {
      starting = null;
      await agent?.stop();
      if (!spares.has(slot)) slots.leave(slot);
      await workspace.close();
    }
  };

  const keep = (slot: string, spare: Spare): void => {
    spares.set(slot, spare);
    const { provider, agent } = spare;
    log.info({ provider, workspace: agent.folder }, "spare agent started");
    void agent.exited.then(async () => {
      if (spares.get(slot) !== spare) return;
      log.warn({ provider }, "a spare agent ended by itself");
      await end(slot, spare);
      lookIn(pause());
    });
  };

  const endStart = async (): Promise<void> => {
    starting?.abort.abort();
    await work;
  };

  const clear = async (): Promise<void> => {
    clearTimeout(timer);
    await endStart();
    await Promise.all([...spares].map(([slot, spare]) => end(slot, spare)));
  };

  return {
    begin: () => {
      work = work
        .then(async () => {
          const { sessions } = await context.store.listSessions({ limit: NEWEST });
          repoId ??= sessions.find((session) => session.repoId !== null)?.repoId ?? null;
        })
        .catch((err: unknown) => log.error({ err }, "the last repository could not be read"));
      lookNow();
    },
    take: (provider, folder) => {
      for (const [slot, spare] of spares) {
        const { agent } = spare;
        if (spare.provider !== provider || agent.folder !== folder || agent.isGone) continue;
        spares.delete(slot);
        slots.leave(slot);
        failures = 0;
        return agent;
      }
      return null;
    },
    note: (used) => {
      if (used === null) return;
      repoId = used;
      // Spares are the last to be ended for others, since the next session needs one of them.
      for (const slot of spares.keys()) slots.use(slot, "idle");
      lookIn(LATER_MS);
    },
    evict: (slot) => {
      const spare = spares.get(slot);
      if (spare === undefined && starting?.slot !== slot) return null;
      lookIn(FULL_MS);
      return spare === undefined ? endStart() : end(slot, spare);
    },
    clear,
    stop: async () => {
      isStopped = true;
      await clear();
    },
  };
}
