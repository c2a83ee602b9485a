import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { describeMachine, takePriority } from "./machine.ts";
import { PARTS, type Effort } from "./parts.ts";
import { printReport, type Report } from "./report.ts";
import { writeDocs } from "./write-docs.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "string" },
    docs: { type: "boolean", default: false },
    priority: { type: "boolean", default: false },
  },
});

// Exits in a way that removes temporary files. The servers get the same signal.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const effort: Effort = values.quick ? "quick" : values.full ? "full" : "default";
const selected = values.only?.split(",");
const unknown = selected?.filter((name) => !PARTS.some((part) => part.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(
    `Unknown part: ${unknown.join(", ")}. Available: ${PARTS.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(64);
}
const parts = PARTS.filter(({ name, isSlow = false }) =>
  selected === undefined ? effort !== "quick" || !isSlow : selected.includes(name),
);
/** A part is skipped if the remaining time does not suffice. */
const BUDGET_SECONDS = { quick: 120, default: 600, full: Infinity } as const;
const budget = selected === undefined ? BUDGET_SECONDS[effort] : Infinity;
const machine = describeMachine();
const reports = new Map<string, Report>();

console.log(machine);
if (values.priority && !takePriority()) console.log("Cannot raise the priority: not allowed.");
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
  if (values.docs) writeDocs(name, report);
}
const leftOut = PARTS.filter((part) => selected === undefined && !parts.includes(part));
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

if (values.json !== undefined) {
  const figures = Object.fromEntries([...reports].map(([name, report]) => [name, report.figures]));
  const document = { machine, at: new Date().toISOString(), effort, missed, ...figures };
  writeFileSync(values.json, `${JSON.stringify(document, null, 2)}\n`);
}
