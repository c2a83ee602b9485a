import type { Printer } from "./printer.ts";

export interface Progress {
  report(done: number, total: number): void;
  /** Removes the bar; the command prints the result. */
  end(): void;
}

/** A progress bar on a terminal; nothing otherwise. */
export async function openProgress(printer: Printer, what: string): Promise<Progress> {
  const { stderr } = printer.terminal;
  if (!stderr.isTerminal) return { report: () => {}, end: () => {} };
  const { progress } = await import("@clack/prompts");
  const bars: { bar: ReturnType<typeof progress>; done: number }[] = [];
  return {
    report: (done, total) => {
      let [current] = bars;
      if (current === undefined) {
        current = { bar: progress({ max: Math.max(1, total), output: process.stderr }), done: 0 };
        bars.push(current);
        current.bar.start(what);
      }
      current.bar.advance(done - current.done, `${what} ${done} of ${total}`);
      current.done = done;
    },
    end: () => bars[0]?.bar.clear(),
  };
}
