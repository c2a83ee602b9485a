import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { judgeSoak } from "./judge.ts";
import { printSample } from "./print-sample.ts";
import { runSoak } from "./run-soak.ts";
import { planFor } from "./soak-plan.ts";
import { verdictTable, writePage } from "./soak-page.ts";

const HOUR_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    hours: { type: "string" },
    /** Writes the table into docs/performance.md. */
    docs: { type: "boolean", default: false },
  },
});
const loadMs =
  values.hours === undefined ? Number(values.minutes) * 60_000 : Number(values.hours) * HOUR_MS;
if (!(loadMs >= 30_000)) {
  process.stderr.write("--minutes and --hours need a number; the minimum is half a minute.\n");
  process.exit(64);
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const plan = planFor(loadMs, { cores: availableParallelism() });
process.stdout.write(
  `${plan.sessions} agents, ${plan.speakers} of them streaming, ${plan.sessionClients + plan.globalClients} clients, ${plan.sendsPerSecond} messages per second, for ${loadMs / 60_000} minutes\n`,
);
const result = await runSoak(plan, {
  signal: stop.signal,
  onSample: (sample) => void process.stdout.write(`${printSample(sample)}\n`),
});
const { verdicts, violations } = judgeSoak(result);
process.stdout.write(`\n${verdictTable(verdicts)}\n`);
for (const violation of violations.slice(0, 20)) process.stdout.write(`${violation}\n`);
const broken = verdicts.filter(({ isGood }) => isGood === false);
if (broken.length > 0) process.stdout.write(`\n${broken.length} bounds are broken.\n`);
// Figures of an interrupted run, or of a busy machine, are not published.
if (values.docs && broken.length === 0 && !stop.signal.aborted) writePage(verdicts, { loadMs });
process.exit(broken.length === 0 ? 0 : 1);
