import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { createHistory, type History, type Stored } from "../cluster/history.ts";
import { violationsIn, type Violation } from "../cluster/invariants.ts";
import type { CrashRig } from "./crash-rig.ts";
import { NO_COUNTS, openFaultWindow, type FaultCounts } from "./fault-window.ts";
import { MANY_KILLS, type Kills } from "./kills.ts";
import { SESSION_MOMENTS, type Moment, type PlannedRound, type SessionMoment } from "./matrix.ts";
import { MISBEHAVIOURS, MISBEHAVIOURS_AT_START, type Misbehaviour } from "./misbehaviours.ts";
import { PlacedSession } from "./placed-session.ts";
import { checkIntegrity, readFileStored, runsUnderWay } from "./read-file-stored.ts";

export interface MatrixRound extends PlannedRound {
  /** The moments that sessions, or the server, were found in when the fault began. */
  readonly hit: readonly Moment[];
  readonly missed: readonly Moment[];
  readonly violations: readonly string[];
  readonly counts: FaultCounts;
  readonly acknowledged: number;
  /** Requests that were refused, and asked again. */
  readonly refused: number;
  readonly reconnects: number;
  readonly events: number;
  /** From the end of the fault until no run of before was left. */
  readonly settledMs: number;
  readonly tookMs: number;
}

export interface RoundOptions {
  readonly random: () => number;
  readonly moments?: readonly SessionMoment[];
  readonly kills?: Kills;
}

const SETTLED_WITHIN_MS = 10_000;
const DRAINED_WITHIN_MS = 60_000;
const CAUGHT_UP_WITHIN_MS = 20_000;
const PROCESSES_GONE_WITHIN_MS = 5_000;
/** Beneath a moment of the server. */
const BENEATH: readonly SessionMoment[] = [
  "idle",
  "streaming",
  "in a tool",
  "waiting for permission",
  "queued",
];

/** Sessions are brought into their moments, the fault strikes, then quiet, then the judgement. */
export async function runMatrixRound(
  rig: CrashRig,
  planned: PlannedRound,
  { random, moments = SESSION_MOMENTS, kills = MANY_KILLS }: RoundOptions,
): Promise<MatrixRound> {
  const begun = performance.now();
  rig.control({});
  if (!rig.isUp && !(await rig.start())) throw new Error(`no server: ${rig.said}`);
  const history = createHistory(0);
  const wanted = planned.at === "serving" ? moments : BENEATH;
  const misbehaving = planned.fault === "agent misbehaves" ? random : null;
  const sessions = await place(rig, { history, moments: wanted, misbehaving });
  const isHit = new Map(sessions.map(({ moment, isThere }) => [moment, isThere]));
  for (const session of sessions) session.nudge();

  const orphans = new Set(rig.agents());
  const counts = { ...NO_COUNTS };
  await openFaultWindow({ ...planned, rig, sessions, random, counts, kills, orphans });
  const isRestarted = counts.randomKills + counts.failpointKills > 0 || planned.at !== "serving";
  const violations: string[] = [];
  if (isRestarted) violations.push(...(await leftAlive([...orphans])));
  await Promise.all(sessions.map((session) => session.goOn()));
  await Promise.all(sessions.map((session) => session.sent()));
  const settledMs = await settle(rig);
  if (misbehaving !== null) await Promise.all(sessions.map((each) => each.sendAfterwards()));
  if (settledMs > SETTLED_WITHIN_MS) violations.push(`runs of before went on for ${settledMs} ms`);
  await drain(sessions);
  violations.push(
    ...(await judge(rig, { history, sessions, isPaused: planned.fault === "node paused" })),
  );
  await cleanUp(rig, sessions);
  violations.push(...(await leftAlive(rig.agents())));

  const serverMoment = planned.at === "serving" ? null : planned.at;
  const found = [...isHit].filter(([, isThere]) => isThere).map(([moment]) => moment);
  return {
    ...planned,
    hit: serverMoment === null ? found : [serverMoment],
    missed: serverMoment === null ? wanted.filter((moment) => !found.includes(moment)) : [],
    violations,
    counts,
    acknowledged: history.requests.filter(({ outcome }) => outcome.ok).length,
    refused: history.requests.filter(({ outcome }) => !outcome.ok).length,
    reconnects: history.views.reduce((sum, { connections }) => sum + connections.length - 1, 0),
    events: history.views
      .flatMap(({ connections }) => connections)
      .reduce((sum, { events }) => sum + events.length, 0),
    settledMs: Math.round(settledMs),
    tookMs: Math.round(performance.now() - begun),
  };
}

/** Those that pass by themselves last. */
async function place(
  rig: CrashRig,
  {
    history,
    moments,
    misbehaving,
  }: {
    readonly history: History;
    readonly moments: readonly SessionMoment[];
    /** What chooses who does what; null when all behave. */
    readonly misbehaving: (() => number) | null;
  },
): Promise<readonly PlacedSession[]> {
  const chosen = moments.map((moment) =>
    misbehaving === null ? null : chooseMisbehaviour(moment, misbehaving),
  );
  const sessions = await Promise.all(
    moments.map((moment, index) =>
      PlacedSession.open(rig, { history, moment, misbehaviour: chosen[index] ?? null }),
    ),
  );
  await Promise.all(sessions.filter(({ isLasting }) => isLasting).map((each) => each.place()));
  for (const name of ["streaming", "starting"] as const)
    await sessions.find(({ moment }) => moment === name)?.place();
  return sessions;
}

function chooseMisbehaviour(moment: SessionMoment, random: () => number): Misbehaviour | null {
  const some = moment === "starting" ? MISBEHAVIOURS_AT_START : MISBEHAVIOURS;
  return some[Math.floor(random() * some.length)] ?? null;
}

/**
 * Until none of the runs that were under way when the fault ended is so any more. What the machine gave to others
 * in the meantime does not count: a promise of seconds is none about a machine that has no time.
 */
async function settle(rig: CrashRig): Promise<number> {
  const now = (): number => performance.now() - rig.waitedMs();
  const begun = now();
  const before = runsUnderWay(rig);
  for (;;) {
    const underWay = runsUnderWay(rig);
    const tookMs = now() - begun;
    if ([...before].every((id) => !underWay.has(id)) || tookMs > DRAINED_WITHIN_MS) return tookMs;
    await pause(50);
  }
}

/** Until nothing is to be done any more; what is asked again is answered again. */
async function drain(sessions: readonly PlacedSession[]): Promise<void> {
  const deadline = performance.now() + DRAINED_WITHIN_MS;
  for (const session of sessions) {
    for (;;) {
      if (session.isDone) break;
      if (performance.now() > deadline) break; // The invariants say what is wrong.
      if (session.seen.state === "suspended") await session.answerAll();
      await pause(50);
    }
  }
}

async function judge(
  rig: CrashRig,
  {
    history,
    sessions,
    isPaused,
  }: {
    readonly history: History;
    readonly sessions: readonly PlacedSession[];
    readonly isPaused: boolean;
  },
): Promise<readonly string[]> {
  const stored = await whenCaughtUp(rig, sessions);
  await Promise.all(sessions.map(({ watcher }) => watcher.stop()));
  // No excuse for two agents at once: whoever starts has ended what was left before.
  const broken = violationsIn({ history, stored, account: rig.account() });
  const integrity = checkIntegrity(rig.database);
  return [
    ...broken
      // A server that stands still answers nobody; that is what was done to it.
      .filter(({ invariant }) => !isPaused || invariant !== "no request hangs")
      .map(describe(sessions)),
    ...sessions.flatMap((session) => notDoneAfterwards(session, stored)),
    ...integrity.map((complaint) => `the file: ${complaint}`),
  ];
}

/** What is stored once every client has seen all of it: sessions that only rest may still be put to rest meanwhile. */
async function whenCaughtUp(rig: CrashRig, sessions: readonly PlacedSession[]): Promise<Stored> {
  const deadline = performance.now() + CAUGHT_UP_WITHIN_MS;
  for (;;) {
    const stored = await readFileStored(rig, sessions);
    const finals = new Map(stored.sessions.map(({ id, final }) => [id, final]));
    const isCaughtUp = sessions.every(({ id, seen }) => isDeepStrictEqual(seen, finals.get(id)));
    if (isCaughtUp || performance.now() > deadline) return stored;
    await pause(100);
  }
}

function notDoneAfterwards(
  { afterwards, moment, misbehaviour }: PlacedSession,
  { sessions }: Stored,
): readonly string[] {
  if (afterwards === null) return [];
  const run = sessions
    .flatMap(({ runs }) => runs)
    .find(({ messageId }) => messageId === afterwards);
  if (run?.status === "completed") return [];
  const what = misbehaviour?.name ?? "nothing";
  return [`the message after it is ${run?.status ?? "gone"} (${moment}): it had done ${what}`];
}

const describe =
  (sessions: readonly PlacedSession[]) =>
  ({ invariant, sessionId, detail }: Violation): string => {
    const session = sessions.find(({ id }) => id === sessionId);
    const did = session?.misbehaviour == null ? "" : `, ${session.misbehaviour.name}`;
    return `${invariant} (${session?.moment ?? "?"}${did}): ${detail}`;
  };

/** Of these processes, those that will not go. */
async function leftAlive(pids: readonly number[]): Promise<readonly string[]> {
  const deadline = performance.now() + PROCESSES_GONE_WITHIN_MS;
  for (;;) {
    const left = pids.filter(isAlive);
    if (left.length === 0) return [];
    if (performance.now() > deadline) return left.map((pid) => `process ${pid} was left`);
    await pause(50);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function cleanUp(rig: CrashRig, sessions: readonly PlacedSession[]): Promise<void> {
  await Promise.all(sessions.map((session) => session.remove()));
  for (const { repo } of sessions) {
    rmSync(rig.file(`accounts/${repo}.jsonl`), { force: true });
    rmSync(rig.file(`gate-${repo}`), { force: true });
    rmSync(rig.file(`mischief-${repo}`), { force: true });
  }
}
