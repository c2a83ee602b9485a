import { rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { bundleServer } from "./bundle-server.ts";
import { matrixTable, totals } from "./failure-table.ts";
import type { MatrixRound } from "./matrix-round.ts";
import { FAULTS, MOMENTS, planPass, SESSION_MOMENTS, type PlannedRound } from "./matrix.ts";
import { parseTargets, planRounds } from "./plan-rounds.ts";
import { readResults, writeResults } from "./results.ts";
import { runMatrix, whyNotHere } from "./run-matrix.ts";
import { writePage } from "./write-page.ts";

const { values } = parseArgs({
  options: {
    /** Number of rounds per cell. */
    rounds: { type: "string", default: "2" },
    seed: { type: "string" },
    /** Continues until these totals are reached, as in `kills=1000,failpoints=120,disk=50,misbehaviours=200,reconnects=1000`. */
    until: { type: "string" },
    /** A fault, a moment, or `fault/moment`. May be repeated. */
    only: { type: "string", multiple: true, default: [] },
    /** Folder of the results, from which an interrupted run continues. Further folders are for `--docs`. */
    results: { type: "string", multiple: true, default: [".cache/crash"] },
    /** Starts no round after this time. */
    minutes: { type: "string" },
    docs: { type: "boolean", default: false },
  },
});

const seedOption = values.seed === undefined ? null : Number(values.seed);
const [folder = "", ...others] = values.results;
const before = readResults(folder, seedOption);
const seed = before?.seed ?? seedOption ?? Date.now() % 1_000_000;
const only = values.only.map(parseFilter);
const targets = values.until === undefined ? {} : parseTargets(values.until);
if (typeof targets === "string") exitWithUsage(targets);
const moments = SESSION_MOMENTS.filter(
  (each) => only.length === 0 || only.some(({ moment }) => moment === null || moment === each),
);
const passes = Number(values.rounds);
const impossible = new Map(
  planPass(0)
    .filter(matchesFilter)
    .flatMap((each) => {
      const why = whyNotHere(each);
      return why === null ? [] : [[each.fault, why] as const];
    }),
);
for (const [name, why] of impossible) process.stdout.write(`skipped, ${name}: ${why}\n`);
const isWanted = (each: PlannedRound): boolean =>
  matchesFilter(each) && !impossible.has(each.fault);
const rounds: MatrixRound[] = [...(before?.rounds ?? [])];
process.stdout.write(
  `${passes} rounds per cell, ${rounds.length} rounds already done, --seed ${seed}\n`,
);

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => interrupted.abort());
const timeLimit = new AbortController();
if (values.minutes !== undefined)
  setTimeout(() => timeLimit.abort(), Number(values.minutes) * 60_000).unref();

let failure: string | null = null;
let program: string | null = null;
try {
  // Without either option, only earlier results are shown.
  const isRun = passes > 0 || values.until !== undefined;
  program = isRun ? await bundleServer() : null;
  await runMatrix(planRounds({ passes, targets, isWanted, rounds }), {
    seed,
    ...(program !== null && { program }),
    done: rounds.length,
    ...(moments.length > 0 && { momentsOf: () => moments }),
    signal: AbortSignal.any([interrupted.signal, timeLimit.signal]),
    onRound: (round) => {
      // The server under test got the signal, too, so the result of this round means nothing.
      if (interrupted.signal.aborted) return;
      rounds.push(round);
      writeResults(folder, { seed, rounds });
      const { at, failpoint, violations, tookMs } = round;
      const where = failpoint === null ? at : `${at}, ${failpoint}`;
      const verdict = violations.length === 0 ? "ok" : `${violations.length} VIOLATIONS`;
      process.stdout.write(
        `${String(rounds.length).padStart(5)}  ${round.fault} (${where}): ${verdict}, ${tookMs} ms\n`,
      );
      for (const violation of violations.slice(0, 5)) process.stdout.write(`       ${violation}\n`);
    },
  });
} catch (error) {
  failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
}

if (program !== null) rmSync(path.dirname(program), { recursive: true, force: true });

process.stdout.write(`\n${matrixTable(rounds)}\n\n`);
for (const [name, total] of totals(rounds))
  process.stdout.write(`${String(total).padStart(8)}  ${name}\n`);
if (failure !== null) process.stdout.write(`\n${failure}\n`);
if (values.docs) {
  const otherResults = others.flatMap((other) => readResults(other, null) ?? []);
  writePage([{ seed, rounds }, ...otherResults]);
}
const isGood = failure === null && rounds.every(({ violations }) => violations.length === 0);
// After a failure clients may still be retrying.
process.exit(isGood ? 0 : 1);

function matchesFilter({ fault: plannedFault, at }: PlannedRound): boolean {
  if (only.length === 0) return true;
  return only.some(({ fault, moment }) => {
    if (fault !== null && plannedFault !== fault) return false;
    if (moment === null) return true;
    return at === "serving" ? SESSION_MOMENTS.some((each) => each === moment) : at === moment;
  });
}

function parseFilter(text: string): {
  readonly fault: string | null;
  readonly moment: string | null;
} {
  const words = text.split("/");
  const unknown = words.find((word) => ![...FAULTS, ...MOMENTS].some((name) => name === word));
  if (unknown !== undefined)
    exitWithUsage(
      `"${unknown}" is neither a fault (${FAULTS.join(", ")}) nor a moment (${MOMENTS.join(", ")}).`,
    );
  const find = (names: readonly string[]): string | null =>
    words.find((word) => names.includes(word)) ?? null;
  return { fault: find(FAULTS), moment: find(MOMENTS) };
}

function exitWithUsage(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(64);
}
