import type { AgentProcess } from "./spawn-agent.ts";
import type { Swept } from "./process-sweep.ts";

/** How long each step may take before the next one, in milliseconds. */
export interface StopTimes {
  readonly cancelMs: number;
  readonly closeMs: number;
  readonly endMs: number;
  readonly termMs: number;
  /** Between the end of stdin and SIGTERM when there is no time: to read the cancel that was sent before. */
  readonly heedMs: number;
  /** After SIGTERM, when there is no time. */
  readonly urgentMs: number;
  /** For the system to end what got SIGKILL. */
  readonly killMs: number;
}

export const STOP_TIMES: StopTimes = {
  cancelMs: 3000,
  closeMs: 2000,
  endMs: 4000,
  termMs: 3000,
  heedMs: 200,
  urgentMs: 1500,
  killMs: 1000,
};

export interface StopRequest {
  readonly process: AgentProcess;
  /** Asks the agent to end its prompt, and resolves when it has; null when there is none. */
  readonly cancel: (() => Promise<unknown>) | null;
  /** Asks the agent to close its session; null when it cannot be asked. */
  readonly close: (() => Promise<unknown>) | null;
  /** Ends what is left of the agent outside its process group. */
  readonly sweep: () => Promise<Swept>;
  readonly times: StopTimes;
  /** Aborted, there is no time: what still waits gently goes on at once to the urgent way. */
  readonly urgency: AbortSignal;
}

/**
 * Ends an agent and everything it started, gently first. Each step ends as soon as the process is gone. The group and
 * whatever carries the agent's marker are ended always, because children can live on when the agent is gone.
 */
export async function stopAgent(request: StopRequest): Promise<Swept> {
  const { process, sweep, times } = request;
  const isGone = (await stopGently(request)) || (await stopUrgently(request));
  process.signal("SIGKILL");
  if (!isGone) await within(times.killMs, process.exited);
  return sweep();
}

/** True when the process is gone. */
async function stopGently({
  process,
  cancel,
  close,
  times,
  urgency,
}: StopRequest): Promise<boolean> {
  const steps: readonly { readonly ms: number; readonly take: () => Promise<unknown> }[] = [
    ...(cancel === null ? [] : [{ ms: times.cancelMs, take: cancel }]),
    ...(close === null ? [] : [{ ms: times.closeMs, take: close }]),
    { ms: times.endMs, take: () => endInput(process) },
    { ms: times.termMs, take: () => terminate(process) },
  ];
  for (const { ms, take } of steps) {
    if (urgency.aborted) return false;
    const how = await within(ms, process.exited.then(gone), take(), aborted(urgency));
    if (how === GONE) return true;
  }
  return false;
}

async function stopUrgently({ process, times, urgency }: StopRequest): Promise<boolean> {
  if (!urgency.aborted) return false;
  process.stdin.end();
  if ((await within(times.heedMs, process.exited.then(gone))) === GONE) return true;
  process.signal("SIGTERM");
  return (await within(times.urgentMs, process.exited.then(gone))) === GONE;
}

async function endInput(process: AgentProcess): Promise<unknown> {
  process.stdin.end();
  return process.exited;
}

async function terminate(process: AgentProcess): Promise<unknown> {
  process.signal("SIGTERM");
  return process.exited;
}

const GONE = Symbol("gone");
const gone = (): typeof GONE => GONE;

/** What comes first, or nothing after so long. What fails is as good as over. */
async function within(ms: number, ...promises: readonly Promise<unknown>[]): Promise<unknown> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), ms);
  try {
    return await Promise.race([timeout.promise, ...promises]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
