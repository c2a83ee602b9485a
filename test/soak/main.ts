import { parseArgs } from "node:util";
import { judgeSoak } from "./judge.ts";
import { printSample } from "./print-sample.ts";
import { runSoak } from "./run-soak.ts";
import { fullPlan } from "./soak-plan.ts";
import { verdictTable, writePage } from "./soak-page.ts";

const HOUR_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    hours: { type: "string" },
    /** Writes the table into the page on performance. */
    docs: { type: "boolean", default: false },
  },
});
const loadMs =
  values.hours === undefined ? Number(values.minutes) * 60_000 : Number(values.hours) * HOUR_MS;
if (!(loadMs >= 30_000)) {
  process.stderr.write("--minutes and --hours take a number; half a minute is the least.\n");
  process.exit(64);
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const plan = fullPlan(loadMs);
process.stdout.write(
  `${plan.sessions} agents, ${plan.speakers} of them speaking, ${plan.sessionClients + plan.globalClients} clients, ${plan.sendsPerSecond} messages a second, for ${loadMs / 60_000} minutes\n`,
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
// Figures of a run that was broken off, or of a machine that had other things to do, are none.
if (values.docs && broken.length === 0 && !stop.signal.aborted) writePage(verdicts, { loadMs });
process.exit(broken.length === 0 ? 0 : 1);
