import { failureOf } from "../failure/failure.ts";
import type { Later, Terminal } from "./terminal.ts";

/** Why a command should end: Ctrl-C, SIGTERM, or a closed terminal or pipe. */
export type StopRequest = "interrupt" | "terminate" | "hangup";

export interface StopRequests {
  /** Ctrl-C that arrived as a key, in raw mode. */
  press(): void;
  /** The next request. A later call takes over: the promise of an earlier one then stays pending. */
  next(): Promise<StopRequest>;
  /** The same, or null when none comes in time. */
  within(ms: number, later: Later): Promise<StopRequest | null>;
  close(): void;
}

/** The conventional exit codes for a process that a signal ended. */
export const STOP_CODES = { interrupt: 130, terminate: 143, hangup: 129 } as const satisfies Record<
  StopRequest,
  number
>;

const SIGNALS = [
  ["SIGINT", "interrupt"],
  ["SIGTERM", "terminate"],
  ["SIGHUP", "hangup"],
] as const;

/** Listens from now on, in place of the default handlers that would end the process. */
export function openStopRequests({
  signals,
  stdout,
  stderr,
}: Pick<Terminal, "signals" | "stdout" | "stderr">): StopRequests {
  const pending: StopRequest[] = [];
  let deliver: ((request: StopRequest) => void) | null = null;

  const put = (request: StopRequest): void => {
    if (deliver === null) pending.push(request);
    else deliver(request);
    deliver = null;
  };
  const next = (): Promise<StopRequest> => {
    const first = pending.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      deliver = resolve;
    });
  };

  const listeners = SIGNALS.map(([name, request]) => ({ name, listener: () => put(request) }));
  for (const { name, listener } of listeners) signals.on(name, listener);
  // Never removed: the last write may fail after everything else has ended.
  for (const { stream } of [stdout, stderr]) stream.on("error", () => put("hangup"));

  return {
    press: () => put("interrupt"),
    next,
    async within(ms, later) {
      const { promise, resolve } = Promise.withResolvers<null>();
      const cancel = later(ms, () => resolve(null));
      const request = await Promise.race([next(), promise]);
      cancel();
      return request;
    },
    close() {
      for (const { name, listener } of listeners) signals.off(name, listener);
    },
  };
}

/** The result of the work, or an exit code when a stop request comes first. */
export async function orStop<Result>(
  work: Result | Promise<Result>,
  stops: Pick<StopRequests, "next">,
): Promise<Awaited<Result> | number> {
  return Promise.race([work, stops.next().then((by) => STOP_CODES[by])]);
}

/** Runs a command on a session until it ends or is stopped, and prints its failure. Resolves to the exit code. */
export async function untilStopped(
  { terminal, sessionId }: { readonly terminal: Terminal; readonly sessionId: string },
  work: (options: {
    readonly stops: StopRequests;
    readonly signal: AbortSignal;
  }) => Promise<number>,
): Promise<number> {
  const stops = openStopRequests(terminal);
  const controller = new AbortController();
  try {
    return await work({ stops, signal: controller.signal });
  } catch (error) {
    const { line, exitCode } = failureOf(error, sessionId);
    terminal.stderr.stream.write(`${line}\n`);
    return exitCode;
  } finally {
    controller.abort();
    stops.close();
  }
}
