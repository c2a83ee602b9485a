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

if (isPart || values.processes === "1" || values.trace) await runAll();
else await shareOut(Number(values.processes));

/** Runs the seeds in this process. The exit code says whether all laws held. */
async function runAll(): Promise<void> {
  const database = await SimDatabase.open();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { broken, trace } = await simulate(database, seed, { keepsTrace: values.trace });
    if (values.trace) process.stdout.write(`${trace.join("\n")}\n`);
    if (broken.length === 0) continue;
    process.exitCode = 1;
    process.stdout.write(`SIM_SEED=${seed}\n`);
    for (const { law, detail } of broken) process.stdout.write(`  ${law}: ${detail}\n`);
  }
  await database.close();
  if (isPart) process.disconnect();
}

async function shareOut(processes: number): Promise<void> {
  const begun = performance.now();
  const each = Math.ceil(seeds / processes);
  const program = fileURLToPath(import.meta.url);
  const parts: ChildProcess[] = [];
  for (let first = from; first < from + seeds; first += each) {
    const count = Math.min(each, from + seeds - first);
    parts.push(fork(program, ["--from", String(first), "--seeds", String(count)]));
  }
  const codes = await Promise.all(
    parts.map((part) => new Promise<number | null>((resolve) => part.once("exit", resolve))),
  );
  const perSecond = (seeds / ((performance.now() - begun) / 1000)).toFixed(1);
  process.stdout.write(`${seeds} simulations from seed ${from}, ${perSecond} per second\n`);
  process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
}
