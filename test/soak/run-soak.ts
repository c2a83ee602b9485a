import { setTimeout as pause } from "node:timers/promises";
import {
  readFiles,
  readProcess,
  type FileFigures,
  type ProcessFigures,
} from "./process-figures.ts";
import { openSoakLoad, type LoadFigures, type SoakLoad } from "./soak-load.ts";
import { rehearsalOf, type SoakPlan } from "./soak-plan.ts";
import { SoakServer, type InsideFigures } from "./soak-server.ts";

export interface Sample {
  /** Since the load began. */
  readonly atMs: number;
  readonly process: ProcessFigures;
  readonly files: FileFigures;
  readonly inside: InsideFigures;
  readonly load: LoadFigures;
}

/** The server with nothing to do. */
export type AtRest = ProcessFigures & Pick<InsideFigures, "heapBytes" | "externalBytes">;

export interface SoakResult {
  readonly plan: SoakPlan;
  readonly rehearsal: LoadFigures;
  readonly before: AtRest;
  /** What came until there was a session for each agent. */
  readonly opening: LoadFigures;
  /** Processor time of the server, until then. */
  readonly openingMs: number;
  readonly samples: readonly Sample[];
  /** What came after the last sample, until everything was checked. */
  readonly closing: LoadFigures;
  readonly after: AtRest;
  readonly stopped: {
    readonly code: number | null;
    readonly tookMs: number;
    readonly agentsLeft: number;
    readonly walBytes: number;
  };
}

/** Connections that nobody uses are closed by and by. */
const AT_REST_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 250;
const LOOKS_UNCHANGED = 6;

/** A server from its start to its end, with the load of the plan in between, or until the signal. */
export async function runSoak(
  plan: SoakPlan,
  {
    onSample = () => {},
    signal = new AbortController().signal,
  }: { readonly onSample?: (sample: Sample) => void; readonly signal?: AbortSignal } = {},
): Promise<SoakResult> {
  const server = await SoakServer.open({ agents: plan.sessions + 5 });
  let load: SoakLoad | null = null;
  const loaded = async (): Promise<Omit<SoakResult, "stopped">> => {
    const at = { url: server.url, repoId: await server.addRepository() };
    load = openSoakLoad(rehearsalOf(plan), at);
    const rehearsal = await rehearse(load, rehearsalOf(plan));
    const before = await atRest(server, null);
    load = openSoakLoad(plan, at);
    await orLost(load, load.begin());
    const opening = await load.figures();
    const openingMs = readProcess(server.pid).processorMs;
    const samples = await orLost(load, takeSamples(server, { plan, load, onSample, signal }));
    await orLost(load, load.stop());
    const closing = await load.figures();
    await load.close();
    const after = await atRest(server, before);
    return { plan, rehearsal, before, opening, openingMs, samples, closing, after };
  };
  try {
    const result = await Promise.race([server.ended, loaded()]);
    const begunMs = performance.now();
    const code = await server.stop();
    const tookMs = performance.now() - begunMs;
    const { walBytes } = readFiles(server.database);
    return { ...result, stopped: { code, tookMs, agentsLeft: server.agents().length, walBytes } };
  } finally {
    await closeIfOpen(load);
    await server.close();
  }
}

async function takeSamples(
  server: SoakServer,
  {
    plan,
    load,
    onSample,
    signal,
  }: {
    readonly plan: SoakPlan;
    readonly load: SoakLoad;
    readonly onSample: (sample: Sample) => void;
    readonly signal: AbortSignal;
  },
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const begunMs = performance.now();
  const elapsedMs = (): number => performance.now() - begunMs;
  while (elapsedMs() < plan.loadMs && !signal.aborted) {
    const dueMs = (samples.length + 1) * plan.sampleMs;
    await pause(Math.max(0, dueMs - elapsedMs()), undefined, { signal }).catch(() => {});
    const [inside, figures] = await Promise.all([server.inside(), load.figures()]);
    const sample: Sample = {
      atMs: elapsedMs(),
      process: readProcess(server.pid),
      files: readFiles(server.database),
      inside,
      load: figures,
    };
    samples.push(sample);
    onSample(sample);
  }
  return samples;
}

async function rehearse(load: SoakLoad, { loadMs }: SoakPlan): Promise<LoadFigures> {
  await orLost(load, load.begin());
  await pause(loadMs);
  await orLost(load, load.stop());
  const figures = await load.figures();
  await load.close();
  return figures;
}

function orLost<Value>({ lost }: SoakLoad, work: Promise<Value>): Promise<Value> {
  return Promise.race([lost, work]);
}

async function closeIfOpen(load: SoakLoad | null): Promise<void> {
  await load?.close();
}

/** What waits for its finalizer is gone with the second collection. */
async function thoroughlyCollected(server: SoakServer): Promise<InsideFigures> {
  await server.inside();
  return server.inside();
}

/** Waits until nothing changes any more, and until it is as it was; for a while. */
async function atRest(server: SoakServer, before: AtRest | null): Promise<AtRest> {
  const deadline = performance.now() + AT_REST_WITHIN_MS;
  let last = readProcess(server.pid);
  let unchanged = 0;
  for (;;) {
    await pause(LOOK_EVERY_MS);
    const now = readProcess(server.pid);
    unchanged = now.handles === last.handles && now.children === 0 ? unchanged + 1 : 0;
    last = now;
    const isBack = before === null || now.handles <= before.handles;
    if ((unchanged >= LOOKS_UNCHANGED && isBack) || performance.now() > deadline)
      return { ...now, ...(await thoroughlyCollected(server)) };
  }
}
