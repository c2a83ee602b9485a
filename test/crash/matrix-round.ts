import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { calmDeadline, calmNow } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { isDeepStrictEqual } from "node:util";
import { createHistory, type History, type Stored } from "../cluster/history.ts";
import { violationsIn, type Violation } from "../cluster/invariants.ts";
import type { CrashRig } from "./crash-rig.ts";
import { NO_COUNTS, openFaultWindow, type FaultCounts } from "./fault-window.ts";
import { MANY_KILLS, type Kills } from "./kills.ts";
import { SESSION_MOMENTS, type Moment, type PlannedRound, type SessionMoment } from "./matrix.ts";
import { MISBEHAVIOURS, MISBEHAVIOURS_AT_START, type Misbehaviour } from "./misbehaviours.ts";
import { PlacedSession } from "./placed-session.ts";
import { checkIntegrity, readFileStored, activeRuns } from "./read-file-stored.ts";

export interface MatrixRound extends PlannedRound {
  /** The moments of the sessions, or of the server, when the fault started. */
  readonly hit: readonly Moment[];
  readonly missed: readonly Moment[];
  readonly violations: readonly string[];
  readonly counts: FaultCounts;
  readonly acknowledged: number;
  /** Requests that failed and were sent again. */
  readonly refused: number;
  readonly reconnects: number;
  readonly events: number;
  /** Time from the end of the fault until all earlier runs had ended. */
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
const PROCESSES_EXIT_WITHIN_MS = 5_000;
/** Moments of the sessions while the server itself is in a moment. */
const DURING_SERVER_MOMENT: readonly SessionMoment[] = [
  "idle",
  "streaming",
  "in a tool",
  "waiting for permission",
  "waiting for a form",
  "queued",
];

/** Brings sessions into their moments, injects the fault, waits until all settle, and checks the invariants. */
export async function runMatrixRound(
  rig: CrashRig,
  planned: PlannedRound,
  { random, moments = SESSION_MOMENTS, kills = MANY_KILLS }: RoundOptions,
): Promise<MatrixRound> {
  const startedMs = performance.now();
  rig.control({});
  if (!rig.isUp && !(await rig.start()))
    throw new Error(`the server does not start: ${rig.output}`);
  const history = createHistory(0);
  const roundMoments = planned.at === "serving" ? moments : DURING_SERVER_MOMENT;
  const misbehaving = planned.fault === "agent misbehaves" ? random : null;
  const sessions = await place(rig, { history, moments: roundMoments, misbehaving });
  const isHit = new Map(sessions.map(({ moment, isInMoment }) => [moment, isInMoment]));
  for (const session of sessions) session.nudge();

  const orphans = new Set(rig.agents());
  const counts = { ...NO_COUNTS };
  await openFaultWindow({ ...planned, rig, sessions, random, counts, kills, orphans });
  const violations: string[] = [];
  // Otherwise the next server goes on with them.
  if (planned.fault === "server killed, agents inside" || planned.fault === "both killed")
    violations.push(...(await leftAlive([...orphans])));
  await Promise.all(sessions.map((session) => session.proceed()));
  await Promise.all(sessions.map((session) => session.allAcknowledged()));
  const settledMs = await settle(rig);
  if (misbehaving !== null) await Promise.all(sessions.map((each) => each.sendAfterwards()));
  if (settledMs > SETTLED_WITHIN_MS) violations.push(`earlier runs continued for ${settledMs} ms`);
  await drain(sessions);
  violations.push(...(await checkRound(rig, { history, sessions, planned })));
  await cleanUp(rig, sessions);
  violations.push(...(await leftAlive(rig.agents())));

  const serverMoment = planned.at === "serving" ? null : planned.at;
  const hitMoments = [...isHit].filter(([, isInMoment]) => isInMoment).map(([moment]) => moment);
  return {
    ...planned,
    hit: serverMoment === null ? hitMoments : [serverMoment],
    missed:
      serverMoment === null ? roundMoments.filter((moment) => !hitMoments.includes(moment)) : [],
    violations,
    counts,
    acknowledged: history.requests.filter(({ outcome }) => outcome.ok).length,
    refused: history.requests.filter(({ outcome }) => !outcome.ok).length,
    reconnects: history.views.reduce((sum, { connections }) => sum + connections.length - 1, 0),
    events: history.views
      .flatMap(({ connections }) => connections)
      .reduce((sum, { events }) => sum + events.length, 0),
    settledMs: Math.round(settledMs),
    tookMs: Math.round(performance.now() - startedMs),
  };
}

/** Places the sessions with lasting moments first, because the other moments pass by themselves. */
async function place(
  rig: CrashRig,
  {
    history,
    moments,
    misbehaving,
  }: {
    readonly history: History;
    readonly moments: readonly SessionMoment[];
    /** Chooses the misbehaviours; null if all agents behave. */
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
 * Waits until all runs that were active at the end of the fault have ended, and returns how long that took on the calm
 * clock.
 */
async function settle(rig: CrashRig): Promise<number> {
  const startedMs = calmNow();
  const before = activeRuns(rig);
  for (;;) {
    const active = activeRuns(rig);
    const tookMs = calmNow() - startedMs;
    if ([...before].every((id) => !active.has(id)) || tookMs > DRAINED_WITHIN_MS) return tookMs;
    await pause(50);
  }
}

/** Waits until all sessions have no work left. Answers questions that agents ask again. */
async function drain(sessions: readonly PlacedSession[]): Promise<void> {
  const isOver = calmDeadline(DRAINED_WITHIN_MS);
  for (const session of sessions) {
    for (;;) {
      if (session.isDone) break;
      if (isOver()) break; // The invariants find the reason.
      if (session.observed.state === "suspended") await session.answerAll();
      await pause(50);
    }
  }
}

async function checkRound(
  rig: CrashRig,
  {
    history,
    sessions,
    planned,
  }: {
    readonly history: History;
    readonly sessions: readonly PlacedSession[];
    readonly planned: PlannedRound;
  },
): Promise<readonly string[]> {
  const isPaused = planned.fault === "node paused";
  const stored = await whenCaughtUp(rig, sessions);
  await Promise.all(sessions.map(({ watcher }) => watcher.stop()));
  // Two agents at once are never excused here: a server that starts first stops the agents that were left.
  const broken = violationsIn({ history, stored, account: rig.account() });
  const integrity = checkIntegrity(rig.database);
  return [
    ...broken
      // A paused server cannot respond.
      .filter(({ invariant }) => !isPaused || invariant !== "no request hangs")
      .map(describe(sessions)),
    ...sessions.flatMap((session) => incompleteAfterwards(session, stored)),
    ...(goesOn(planned) ? sessions.flatMap((session) => cutRuns(session, stored)) : []),
    ...integrity.map((error) => `the file: ${error}`),
  ];
}

/** Reads the stored sessions until every client has caught up, because idle sessions may still change. */
async function whenCaughtUp(rig: CrashRig, sessions: readonly PlacedSession[]): Promise<Stored> {
  const isOver = calmDeadline(CAUGHT_UP_WITHIN_MS);
  for (;;) {
    const stored = await readFileStored(rig, sessions);
    const finals = new Map(stored.sessions.map(({ id, final }) => [id, final]));
    const isCaughtUp = sessions.every(({ id, observed }) =>
      isDeepStrictEqual(observed, finals.get(id)),
    );
    if (isCaughtUp || isOver()) return stored;
    await pause(100);
  }
}

/** Agents go on when nothing but the server is killed, so that no run may be cut. */
function goesOn({ fault, at }: PlannedRound): boolean {
  return at === "serving" && (fault === "server killed" || fault === "second kill");
}

function cutRuns({ id, moment }: PlacedSession, { sessions }: Stored): readonly string[] {
  const allowed = moment === "cancelling" ? ["completed", "cancelled"] : ["completed"];
  return sessions
    .filter((session) => session.id === id)
    .flatMap(({ runs }) => runs)
    .filter(({ status }) => !allowed.includes(status))
    .map((run) => `run ${run.id} is ${run.status}, although its agent could go on (${moment})`);
}

function incompleteAfterwards(
  { afterwards, moment, misbehaviour }: PlacedSession,
  { sessions }: Stored,
): readonly string[] {
  if (afterwards === null) return [];
  const run = sessions
    .flatMap(({ runs }) => runs)
    .find(({ messageId }) => messageId === afterwards);
  if (run?.status === "completed") return [];
  const name = misbehaviour?.name ?? "none";
  return [
    `the message after the misbehaviour is ${run?.status ?? "missing"} (${moment}), misbehaviour: ${name}`,
  ];
}

const describe =
  (sessions: readonly PlacedSession[]) =>
  ({ invariant, sessionId, detail }: Violation): string => {
    const session = sessions.find(({ id }) => id === sessionId);
    const misbehaviour = session?.misbehaviour == null ? "" : `, ${session.misbehaviour.name}`;
    return `${invariant} (${session?.moment ?? "?"}${misbehaviour}):  ${detail}`;
  };

/** One line per process that does not exit in time. */
async function leftAlive(pids: readonly number[]): Promise<readonly string[]> {
  const isOver = calmDeadline(PROCESSES_EXIT_WITHIN_MS);
  for (;;) {
    const left = pids.filter(isAlive);
    if (left.length === 0) return [];
    if (isOver()) return left.map((pid) => `process ${pid} is still running`);
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
