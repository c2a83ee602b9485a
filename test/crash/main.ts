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
    /** How often each cell is run. */
    rounds: { type: "string", default: "2" },
    seed: { type: "string" },
    /** Goes on until so much was done, as in `kills=1000,failpoints=120,disk=50,misbehaviours=200,reconnects=1000`. */
    until: { type: "string" },
    /** A fault, a moment, or `fault/moment`; several are run in turn. */
    only: { type: "string", multiple: true, default: [] },
    /** Where the results are kept; a run that was broken off goes on from there. Further ones are for `--docs`. */
    results: { type: "string", multiple: true, default: [".cache/crash"] },
    /** No round is begun after so long. */
    minutes: { type: "string" },
    docs: { type: "boolean", default: false },
  },
});

const asked = values.seed === undefined ? null : Number(values.seed);
const [folder = "", ...others] = values.results;
const before = readResults(folder, asked);
const seed = before?.seed ?? asked ?? Date.now() % 1_000_000;
const only = values.only.map(chosen);
const targets = values.until === undefined ? {} : parseTargets(values.until);
if (typeof targets === "string") refuse(targets);
const moments = SESSION_MOMENTS.filter(
  (each) => only.length === 0 || only.some(({ moment }) => moment === null || moment === each),
);
const passes = Number(values.rounds);
const impossible = new Map(
  planPass(0)
    .filter(isChosen)
    .flatMap((each) => {
      const why = whyNotHere(each);
      return why === null ? [] : [[each.fault, why] as const];
    }),
);
for (const [name, why] of impossible) process.stdout.write(`left out, ${name}: ${why}\n`);
const isWanted = (each: PlannedRound): boolean => isChosen(each) && !impossible.has(each.fault);
const rounds: MatrixRound[] = [...(before?.rounds ?? [])];
process.stdout.write(
  `each cell ${passes} times, ${rounds.length} rounds done before, --seed ${seed}\n`,
);

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => interrupted.abort());
const late = new AbortController();
if (values.minutes !== undefined)
  setTimeout(() => late.abort(), Number(values.minutes) * 60_000).unref();

let failure: string | null = null;
let program: string | null = null;
try {
  // Without either, only what was done before is shown.
  const isRun = passes > 0 || values.until !== undefined;
  program = isRun ? await bundleServer() : null;
  await runMatrix(planRounds({ passes, targets, isWanted, rounds }), {
    seed,
    ...(program !== null && { program }),
    done: rounds.length,
    ...(moments.length > 0 && { momentsOf: () => moments }),
    signal: AbortSignal.any([interrupted.signal, late.signal]),
    onRound: (round) => {
      // The server under test got the signal, too: what came of that round says nothing.
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
  const more = others.flatMap((other) => readResults(other, null) ?? []);
  writePage([{ seed, rounds }, ...more]);
}
const isGood = failure === null && rounds.every(({ violations }) => violations.length === 0);
// After a failure clients may still be trying.
process.exit(isGood ? 0 : 1);

function isChosen({ fault: its, at }: PlannedRound): boolean {
  if (only.length === 0) return true;
  return only.some(({ fault, moment }) => {
    if (fault !== null && its !== fault) return false;
    if (moment === null) return true;
    return at === "serving" ? SESSION_MOMENTS.some((each) => each === moment) : at === moment;
  });
}

function chosen(text: string): { readonly fault: string | null; readonly moment: string | null } {
  const words = text.split("/");
  const unknown = words.find((word) => ![...FAULTS, ...MOMENTS].some((known) => known === word));
  if (unknown !== undefined)
    refuse(
      `"${unknown}" is no fault (${FAULTS.join(", ")}) and no moment (${MOMENTS.join(", ")}).`,
    );
  const found = (names: readonly string[]): string | null =>
    words.find((word) => names.includes(word)) ?? null;
  return { fault: found(FAULTS), moment: found(MOMENTS) };
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(64);
}
