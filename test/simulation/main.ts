import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SimDatabase } from "./sim-database.ts";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100000" },
    /** The first seed. */
    from: { type: "string", default: "1" },
    processes: { type: "string", default: String(availableParallelism()) },
    /** Prints all that happens. */
    trace: { type: "boolean", default: false },
  },
});
const [from, seeds] = [Number(values.from), Number(values.seeds)];
const isPart = process.send !== undefined;
const begun = performance.now();
const PRINTED_EVERY_MS = 60_000;
const TOLD_EVERY_MS = 1_000;

interface Progress {
  /** Simulations that have ended. */
  readonly done: number;
  readonly failed: number;
}

if (isPart) await runPart();
else if (values.processes === "1" || values.trace) await runAlone();
else await shareOut(Number(values.processes));

/** Runs the seeds in this process. The exit code says whether all laws held. */
async function runAll(tell: (progress: Progress) => void): Promise<void> {
  const database = await SimDatabase.open();
  let failed = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { broken, trace } = await simulate(database, seed, { keepsTrace: values.trace });
    if (values.trace) process.stdout.write(`${trace.join("\n")}\n`);
    if (broken.length > 0) {
      failed += 1;
      process.exitCode = 1;
      process.stdout.write(`SIM_SEED=${seed}\n`);
      for (const { law, detail } of broken) process.stdout.write(`  ${law}: ${detail}\n`);
    }
    tell({ done: seed - from + 1, failed });
    // A simulation itself never lets the event loop turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await database.close();
}

async function runPart(): Promise<void> {
  let toldAt = -Infinity;
  await runAll((progress) => {
    if (progress.done < seeds && performance.now() < toldAt + TOLD_EVERY_MS) return;
    toldAt = performance.now();
    process.send?.(progress);
  });
  process.disconnect();
}

async function runAlone(): Promise<void> {
  let latest: Progress = { done: 0, failed: 0 };
  let printedAt = begun;
  await runAll((progress) => {
    latest = progress;
    if (performance.now() < printedAt + PRINTED_EVERY_MS) return;
    printedAt = performance.now();
    print(progress);
  });
  print(latest);
}

async function shareOut(processes: number): Promise<void> {
  const each = Math.ceil(seeds / processes);
  const program = fileURLToPath(import.meta.url);
  const parts: ChildProcess[] = [];
  const latest: Progress[] = [];
  for (let first = from; first < from + seeds; first += each) {
    const count = Math.min(each, from + seeds - first);
    const index = parts.length;
    const part = fork(program, ["--from", String(first), "--seeds", String(count)]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is this program
    part.on("message", (progress) => void (latest[index] = progress as Progress));
    parts.push(part);
  }
  const total = (): Progress => ({
    done: latest.reduce((sum, { done }) => sum + done, 0),
    failed: latest.reduce((sum, { failed }) => sum + failed, 0),
  });
  const printer = setInterval(() => print(total()), PRINTED_EVERY_MS);
  const codes = await Promise.all(
    parts.map((part) => new Promise<number | null>((resolve) => part.once("close", resolve))),
  );
  clearInterval(printer);
  print(total());
  process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
}

function print({ done, failed }: Progress): void {
  const perSecond = (done / ((performance.now() - begun) / 1000)).toFixed(1);
  process.stdout.write(
    `${done} of ${seeds} simulations from seed ${from}, ${perSecond} per second, ${failed} failed\n`,
  );
}
