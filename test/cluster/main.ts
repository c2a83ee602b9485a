import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Cluster } from "./cluster.ts";
import { planFaults, seeded } from "./faults.ts";
import { printRounds } from "./print-rounds.ts";
import { runRound, type RoundResult } from "./round.ts";

const FAULTS_PER_ROUND = 15;

const { values } = parseArgs({
  options: {
    pauses: { type: "string", default: "100" },
    kills: { type: "string", default: "50" },
    cuts: { type: "string", default: "30" },
    "late-writes": { type: "string", default: "20" },
    restarts: { type: "string", default: "10" },
    "database-restarts": { type: "string", default: "5" },
    nodes: { type: "string", default: "3" },
    lease: { type: "string", default: "3000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    json: { type: "string", default: "cluster-run.json" },
    keep: { type: "boolean", default: false },
  },
});

const seed = Number(values.seed);
const random = seeded(seed);
const counts = {
  pauses: Number(values.pauses),
  kills: Number(values.kills),
  cuts: Number(values.cuts),
  lateWrites: Number(values["late-writes"]),
  restarts: Number(values.restarts),
  databaseRestarts: Number(values["database-restarts"]),
};
const faults = [...planFaults(counts, random)];
const leaseMs = Number(values.lease);
process.stdout.write(
  `${faults.length} faults on ${values.nodes} nodes, lease ${leaseMs} ms, --seed ${seed}\n`,
);

// The nodes and the database get the signal too. Folders are removed at the end.
const cluster = await Cluster.open({ nodes: Number(values.nodes), leaseMs });
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const rounds: RoundResult[] = [];
let failure: string | null = null;
try {
  while (faults.length > 0 && !stop.signal.aborted) {
    const part = faults.splice(0, FAULTS_PER_ROUND);
    const result = await runRound(cluster, {
      faults: part,
      random,
      onFault: (fault, node) =>
        process.stdout.write(values.keep ? `${Date.now()} ${fault} ${node}\n` : "."),
    });
    rounds.push(result);
    process.stdout.write(
      ` ${result.violations.length === 0 ? "ok" : `${result.violations.length} VIOLATIONS`}, ${faults.length} faults left\n`,
    );
    for (const { invariant, sessionId, detail } of result.violations.slice(0, 10)) {
      process.stdout.write(`  ${invariant}: ${sessionId ?? ""} ${detail}\n`);
    }
    // Each round is checked on its own.
    const { requests, views, faults: recorded, handovers } = cluster.history;
    for (const list of [requests, views, recorded, handovers]) list.splice(0);
  }
} catch (error) {
  failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stdout.write(`\n${failure}\n`);
  for (const { name, output } of cluster.nodes) process.stdout.write(`node ${name}: ${output}\n`);
}

const codes = await Promise.all(
  cluster.nodes.map(async (node) => {
    if (!node.isUp) return 0;
    return node.stop().catch((error: unknown) => String(error));
  }),
);
const left = cluster.agents();
await cluster.close({ keepFolder: values.keep });
if (values.keep) process.stdout.write(`kept ${cluster.folder}\n`);
process.stdout.write(`\n${printRounds(rounds)}\n`);
process.stdout.write(`exit codes ${codes.join(", ")}; agents left: ${left.length}\n`);
const report = { seed, leaseMs, counts, rounds, codes, left, failure };
writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
const isGood =
  failure === null &&
  left.length === 0 &&
  codes.every((code) => code === 0) &&
  rounds.every(({ violations }) => violations.length === 0) &&
  // Otherwise the faults hit too little work.
  rounds.every(({ runs, acknowledged }) => (runs["completed"] ?? 0) > acknowledged / 2);
// After a failure clients may still be retrying.
process.exit(isGood ? 0 : 1);
