import { setTimeout as pause } from "node:timers/promises";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
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
  /** Time since the start of the load. */
  readonly atMs: number;
  readonly process: ProcessFigures;
  readonly files: FileFigures;
  readonly inside: InsideFigures;
  readonly load: LoadFigures;
}

/** Figures of the idle server. */
export type IdleFigures = ProcessFigures & Pick<InsideFigures, "heapBytes" | "externalBytes">;

export interface SoakResult {
  readonly plan: SoakPlan;
  readonly rehearsal: LoadFigures;
  readonly before: IdleFigures;
  /** Figures until there was a session for each agent. */
  readonly opening: LoadFigures;
  /** CPU time of the server until then. */
  readonly openingMs: number;
  readonly samples: readonly Sample[];
  /** Figures after the last sample, until everything was checked. */
  readonly closing: LoadFigures;
  readonly after: IdleFigures;
  readonly stopped: {
    readonly code: number | null;
    readonly tookMs: number;
    readonly agentsLeft: number;
    readonly walBytes: number;
  };
}

/** Unused connections are closed gradually. */
const IDLE_WITHIN_MS = 60_000;
const POLL_MS = 250;
const UNCHANGED_POLLS = 6;

/** Starts a server, runs the load of the plan or until the signal, and stops the server. */
export async function runSoak(
  plan: SoakPlan,
  {
    onSample = () => {},
    signal = new AbortController().signal,
  }: { readonly onSample?: (sample: Sample) => void; readonly signal?: AbortSignal } = {},
): Promise<SoakResult> {
  const server = await SoakServer.open({ agents: plan.sessions + 5 });
  let load: SoakLoad | null = null;
  const runLoad = async (): Promise<Omit<SoakResult, "stopped">> => {
    const at = { url: server.url, repoId: await server.addRepository() };
    load = openSoakLoad(rehearsalOf(plan), at);
    const rehearsal = await rehearse(load, rehearsalOf(plan));
    const before = await untilIdle(server, null);
    load = openSoakLoad(plan, at);
    await orLost(load, load.begin());
    const opening = await load.figures();
    const openingMs = readProcess(server.pid).processorMs;
    const samples = await orLost(load, takeSamples(server, { plan, load, onSample, signal }));
    await orLost(load, load.stop());
    const closing = await load.figures();
    await load.close();
    const after = await untilIdle(server, before);
    return { plan, rehearsal, before, opening, openingMs, samples, closing, after };
  };
  try {
    const result = await Promise.race([server.ended, runLoad()]);
    const startedMs = performance.now();
    const code = await server.stop();
    const tookMs = performance.now() - startedMs;
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
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
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

/** Collects twice, because the first collection only runs finalizers. */
async function collectTwice(server: SoakServer): Promise<InsideFigures> {
  await server.inside();
  return server.inside();
}

/** Waits, up to a timeout, until nothing changes and there are no more handles than before. */
async function untilIdle(server: SoakServer, before: IdleFigures | null): Promise<IdleFigures> {
  const isOver = calmDeadline(IDLE_WITHIN_MS);
  let last = readProcess(server.pid);
  let unchanged = 0;
  for (;;) {
    await pause(POLL_MS);
    const now = readProcess(server.pid);
    unchanged = now.handles === last.handles && now.children === 0 ? unchanged + 1 : 0;
    last = now;
    const isBack = before === null || now.handles <= before.handles;
    if ((unchanged >= UNCHANGED_POLLS && isBack) || isOver())
      return { ...now, ...(await collectTwice(server)) };
  }
}
