import { writeFileSync } from "node:fs";
import { readArguments, USAGE, UsageError, type BenchArguments } from "./arguments.ts";
import { describeMachine, takePriority } from "./machine.ts";
import { PARTS } from "./parts.ts";
import { printReport, type Report } from "./report.ts";
import { writeDocs } from "./write-docs.ts";

/** Exit code for a mistake of the caller, as in sysexits.h. */
const EX_USAGE = 64;

// Exits in a way that removes temporary files. The servers get the same signal.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const { effort, selected, ...wanted } = read();
const parts = selected ?? PARTS.filter(({ isSlow = false }) => effort !== "quick" || !isSlow);
/** A part is skipped if the remaining time does not suffice. */
const BUDGET_SECONDS = { quick: 120, default: 600, full: Infinity } as const;
const budget = selected === null ? BUDGET_SECONDS[effort] : Infinity;
const machine = describeMachine();
const reports = new Map<string, Report>();

console.log(machine);
if (wanted.priority && !takePriority()) console.log("Cannot raise the priority: not allowed.");
const skipped: string[] = [];
for (const { name, title, seconds: estimate, run } of parts) {
  const start = performance.now();
  const needed = effort === "quick" ? estimate.quick : estimate.usual;
  if (start / 1_000 + needed > budget) {
    skipped.push(name);
    continue;
  }
  const report = await run(effort);
  const seconds = ((performance.now() - start) / 1_000).toFixed(0);
  console.log(`\n## ${name}: ${title} (${seconds} s)\n`);
  console.log(report === null ? "Not available on this machine." : printReport(report));
  if (report === null) continue;
  reports.set(name, report);
  if (wanted.docs) writeDocs(name, report);
}
const leftOut = PARTS.filter((part) => selected === null && !parts.includes(part));
if (leftOut.length > 0) {
  console.log(`\nSkipped because of --quick: ${leftOut.map(({ name }) => name).join(", ")}.`);
}
if (skipped.length > 0) {
  console.log(`\nSkipped because of the time limit: ${skipped.join(", ")}. Use --only or --full.`);
}
const missed = [...reports].flatMap(([name, report]) =>
  report.missed.map((goal) => `${name}: ${goal}`),
);
console.log(
  missed.length === 0 ? "\nAll goals were reached." : `\nMissed goals:\n${missed.join("\n")}`,
);

if (wanted.json !== null) {
  const figures = Object.fromEntries([...reports].map(([name, report]) => [name, report.figures]));
  const document = { machine, at: new Date().toISOString(), effort, missed, ...figures };
  writeFileSync(wanted.json, `${JSON.stringify(document, null, 2)}\n`);
}

/** Does not return if there is nothing to measure. */
function read(): BenchArguments {
  try {
    const read = readArguments(process.argv.slice(2));
    if (read !== null) return read;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\nnpm run bench -- --help shows the options and parts.`);
    process.exit(EX_USAGE);
  }
}
