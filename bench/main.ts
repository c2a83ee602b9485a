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

// An end that removes what was left on the disk; the servers get the same signal.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const effort: Effort = values.quick ? "quick" : values.full ? "full" : "default";
const wanted = values.only?.split(",");
const unknown = wanted?.filter((name) => !PARTS.some((part) => part.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(", ")}; there are ${PARTS.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(64);
}
const parts = PARTS.filter(({ name, isSlow = false }) =>
  wanted === undefined ? effort !== "quick" || !isSlow : wanted.includes(name),
);
/** A part is not begun when less is left than it takes; nobody waits longer than was promised. */
const BUDGET_SECONDS = { quick: 120, default: 600, full: Infinity } as const;
const budget = wanted === undefined ? BUDGET_SECONDS[effort] : Infinity;
const machine = describeMachine();
const reports = new Map<string, Report>();

console.log(machine);
if (values.priority && !takePriority()) console.log("Priority was asked for, and is not allowed.");
const skipped: string[] = [];
for (const { name, title, seconds: taken, run } of parts) {
  const start = performance.now();
  const needed = effort === "quick" ? taken.quick : taken.usual;
  if (start / 1_000 + needed > budget) {
    skipped.push(name);
    continue;
  }
  const report = await run(effort);
  const seconds = ((performance.now() - start) / 1_000).toFixed(0);
  console.log(`\n## ${name}: ${title} (${seconds} s)\n`);
  console.log(report === null ? "Not here." : printReport(report));
  if (report === null) continue;
  reports.set(name, report);
  if (values.docs) writeDocs(name, report);
}
const leftOut = PARTS.filter((part) => wanted === undefined && !parts.includes(part));
if (leftOut.length > 0) {
  console.log(`\nLeft out for --quick: ${leftOut.map(({ name }) => name).join(", ")}.`);
}
if (skipped.length > 0) {
  console.log(`\nLeft out, since the time was up: ${skipped.join(", ")}. Take --only or --full.`);
}
const missed = [...reports].flatMap(([name, report]) =>
  report.missed.map((goal) => `${name}: ${goal}`),
);
console.log(missed.length === 0 ? "\nAll goals are reached." : `\nMissed:\n${missed.join("\n")}`);

if (values.json !== undefined) {
  const figures = Object.fromEntries([...reports].map(([name, report]) => [name, report.figures]));
  const document = { machine, at: new Date().toISOString(), effort, missed, ...figures };
  writeFileSync(values.json, `${JSON.stringify(document, null, 2)}\n`);
}
