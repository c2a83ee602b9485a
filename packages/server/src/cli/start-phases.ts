/** The steps of a start. A slow one says what it is doing, so that no start is silent for long. */
export interface StartPhases {
  /** `doing` completes "starting: …", with the bound of the step or the reason why it has none. */
  run<Value>(doing: string, work: () => Promise<Value>): Promise<Value>;
}

export interface StartPhasesOptions {
  readonly print: (line: string) => void;
  readonly slowMs?: number;
}

const SLOW_MS = 2_000;
/** After the first line, a step repeats it this many times as rarely. */
const REPEAT = 5;

/** A machine without a free processor is slow before any step begins. */
export function noteLoading(
  print: StartPhasesOptions["print"],
  sinceStartMs = performance.now(),
): void {
  if (sinceStartMs > SLOW_MS)
    print(`starting: loading the program, took ${Math.round(sinceStartMs / 1_000)} s`);
}

export function createStartPhases({ print, slowMs = SLOW_MS }: StartPhasesOptions): StartPhases {
  return {
    async run(doing, work) {
      const begun = performance.now();
      const seconds = (): string => `${Math.round((performance.now() - begun) / 1_000)} s`;
      const say = (): void => print(`starting: ${doing}, ${seconds()} so far`);
      let repeated: NodeJS.Timeout | undefined;
      const first = setTimeout(() => {
        say();
        repeated = setInterval(say, slowMs * REPEAT);
      }, slowMs);
      try {
        return await work();
      } finally {
        clearTimeout(first);
        clearInterval(repeated);
        // Also for a step that blocked this thread, during which no timer could run.
        if (performance.now() - begun > slowMs) print(`starting: ${doing}, took ${seconds()}`);
      }
    },
  };
}
