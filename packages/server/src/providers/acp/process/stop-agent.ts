import { within, type AcpTimes } from "../acp-times.ts";
import type { SweepResult } from "./process-sweep.ts";
import type { AgentProcess } from "./spawn-agent.ts";

export interface StopRequest {
  readonly process: AgentProcess;
  /** Asks the agent to end its prompt, and resolves when it has; null if there is no prompt. */
  readonly cancel: (() => Promise<unknown>) | null;
  /** Asks the agent to close its session; null if it does not support that. */
  readonly close: (() => Promise<unknown>) | null;
  /** Kills the agent's processes outside its process group. */
  readonly sweep: () => Promise<SweepResult>;
  readonly times: AcpTimes;
  /** An abort ends the gentle steps at once. */
  readonly urgency: AbortSignal;
}

/**
 * Stops an agent and everything it started: cancel, close, end of stdin, SIGTERM, SIGKILL. Each step ends as soon as
 * the process has exited. The group and all marked processes are always killed, because children can outlive the agent.
 */
export async function stopAgent(request: StopRequest): Promise<SweepResult> {
  const { process, sweep, times } = request;
  const isGone = (await stopGently(request)) || (await stopUrgently(request));
  process.signal("SIGKILL");
  if (!isGone) await within(times.killMs, process.exited);
  return sweep();
}

/** True if the process has exited. */
async function stopGently(request: StopRequest): Promise<boolean> {
  const { process, urgency } = request;
  for (const [ms, take] of gentleSteps(request)) {
    if (urgency.aborted) return false;
    if (await within(ms, hasExited(process), take(), aborted(urgency))) return true;
  }
  return false;
}

type Step = readonly [ms: number, take: () => Promise<boolean>];

function gentleSteps({ process, cancel, close, times }: StopRequest): readonly Step[] {
  const endInput = (): Promise<boolean> => {
    process.stdin.end();
    return hasExited(process);
  };
  const terminate = (): Promise<boolean> => {
    process.signal("SIGTERM");
    return hasExited(process);
  };
  return [
    ...(cancel === null ? [] : [[times.cancelMs, () => cancel().then(() => false)] as const]),
    ...(close === null ? [] : [[times.closeMs, () => close().then(() => false)] as const]),
    [times.endMs, endInput],
    [times.termMs, terminate],
  ];
}

async function stopUrgently({ process, times, urgency }: StopRequest): Promise<boolean> {
  if (!urgency.aborted) return false;
  process.stdin.end();
  if (await within(times.heedMs, hasExited(process))) return true;
  process.signal("SIGTERM");
  return (await within(times.urgentMs, hasExited(process))) ?? false;
}

async function hasExited({ exited }: AgentProcess): Promise<boolean> {
  await exited;
  return true;
}

function aborted(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener("abort", () => resolve(false), { once: true });
  });
}
