import type { Later } from "./later.ts";
import type { Terminal } from "./terminal.ts";

/** Why a command should end: Ctrl-C, a signal, or nobody there to read any more. */
export type StopRequest = "interrupt" | "terminate" | "hangup";

export interface StopRequests {
  /** Ctrl-C that came as a key. */
  press(): void;
  /** The next one that has not been taken. Who asked before and did not get one does not get it any more. */
  next(): Promise<StopRequest>;
  /** The same, or null when none comes within the time. */
  within(ms: number, later: Later): Promise<StopRequest | null>;
  close(): void;
}

/** What a process ends with that a signal ended, by convention. */
export const STOP_CODES = { interrupt: 130, terminate: 143, hangup: 129 } as const satisfies Record<
  StopRequest,
  number
>;

const SIGNALS = [
  ["SIGINT", "interrupt"],
  ["SIGTERM", "terminate"],
  ["SIGHUP", "hangup"],
] as const;

/** Listens from now on, in place of what would end the process. */
export function openStopRequests({
  signals,
  stdout,
  stderr,
}: Pick<Terminal, "signals" | "stdout" | "stderr">): StopRequests {
  const waiting: StopRequest[] = [];
  let tell: ((request: StopRequest) => void) | null = null;

  const put = (request: StopRequest): void => {
    if (tell === null) waiting.push(request);
    else tell(request);
    tell = null;
  };
  const next = (): Promise<StopRequest> => {
    const first = waiting.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      tell = resolve;
    });
  };

  const listeners = SIGNALS.map(([name, request]) => ({ name, listener: () => put(request) }));
  for (const { name, listener } of listeners) signals.on(name, listener);
  // Kept for good: what was written last may fail after everything else is over.
  for (const { stream } of [stdout, stderr]) stream.on("error", () => put("hangup"));

  return {
    press: () => put("interrupt"),
    next,
    async within(ms, later) {
      const { promise, resolve } = Promise.withResolvers<null>();
      const callOff = later(ms, () => resolve(null));
      const request = await Promise.race([next(), promise]);
      callOff();
      return request;
    },
    close() {
      for (const { name, listener } of listeners) signals.off(name, listener);
    },
  };
}

/** What comes of the work; the exit code, where a request to stop comes first. */
export async function orStop<Result>(
  work: Result | Promise<Result>,
  stops: Pick<StopRequests, "next">,
): Promise<Awaited<Result> | number> {
  return Promise.race([work, stops.next().then((by) => STOP_CODES[by])]);
}
