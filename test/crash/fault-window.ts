import { setTimeout as pause } from "node:timers/promises";
import { openMigrations } from "../../packages/server/src/storage/open-store.ts";
import type { CrashRig } from "./crash-rig.ts";
import {
  killAtRandom,
  killManyTimes,
  killServer,
  killWhileStarting,
  startAgain,
  type Kills,
} from "./kills.ts";
import type { FaultName, PlannedRound } from "./matrix.ts";
import type { PlacedSession } from "./placed-session.ts";

export interface FaultWindow extends PlannedRound {
  readonly rig: CrashRig;
  readonly sessions: readonly PlacedSession[];
  readonly random: () => number;
  readonly counts: FaultCounts;
  readonly kills: Kills;
  /** Processes of agents whose server was killed. */
  readonly orphans: Set<number>;
}

/** What was done, in numbers. */
export interface FaultCounts {
  randomKills: number;
  failpointKills: number;
  agentsKilled: number;
  misbehaviours: number;
  pauses: number;
  busyPeriods: number;
  fullDisks: number;
  clientsCut: number;
  clockJumps: number;
}

export const NO_COUNTS: FaultCounts = {
  randomKills: 0,
  failpointKills: 0,
  agentsKilled: 0,
  misbehaviours: 0,
  pauses: 0,
  busyPeriods: 0,
  fullDisks: 0,
  clientsCut: 0,
  clockJumps: 0,
};

/** Of all sessions, those that are sent another message when more is to be done. */
const MORE_FOR = 0.15;
const HOUR_MS = 3_600_000;
/** The migration that does most, and the oldest that can be taken back without losing sessions. */
const BACK_BEFORE = "0003-search";

/** From the first moment of the fault until the server serves again. */
export async function openFaultWindow(window: FaultWindow): Promise<void> {
  switch (window.at) {
    case "serving":
      return whileServing(window);
    case "shutting down":
      return whileStopping(window);
    case "migrating":
      return whileMigrating(window);
    default:
      return window.at satisfies never;
  }
}

async function whileServing(window: FaultWindow): Promise<void> {
  const { rig, fault, failpoint, random } = window;
  if (failpoint === null || fault === "second kill") await pause(random() * 400);
  switch (fault) {
    case "server killed":
    case "both killed":
      if (failpoint === null)
        return killManyTimes(window, { servingShare: 0.4, meanwhile: () => busyAgain(window) });
      await killServer(window, { trigger: () => goOnInVain(window) });
      return startAgain(rig);
    case "second kill":
      if (failpoint === null)
        return killManyTimes(window, { servingShare: 0.1, meanwhile: () => busyAgain(window) });
      await killAtRandom(window);
      return killWhileStarting(window);
    case "disk full":
      return fillManyTimes(window);
    default: {
      const end = await beginFault(window, fault);
      goOnInVain(window);
      await pause(lastsMs(window));
      if (fault === "clock jump" && random() < 0.5) {
        await killAtRandom(window);
        await startAgain(rig);
      }
      return end();
    }
  }
}

async function fillManyTimes(window: FaultWindow): Promise<void> {
  const times = 2 + Math.floor(window.random() * 2);
  for (let time = 0; time < times; time += 1) {
    if (time > 0) await pause(window.random() * 800);
    const end = await beginFault(window, "disk full");
    busyAgain(window);
    await pause(lastsMs(window));
    await end();
  }
}

async function whileStopping(window: FaultWindow): Promise<void> {
  const { rig, fault, random } = window;
  switch (fault) {
    case "server killed":
    case "both killed":
      await killServer(window, { trigger: () => rig.signal("SIGTERM"), withinMs: 1_500 });
      return startAgain(rig);
    case "second kill":
      rig.signal("SIGTERM");
      await pause(random() * 800);
      await killAtRandom(window);
      return killWhileStarting(window);
    default: {
      // Agents are soon gone from a server that stops.
      const sooner = fault === "agent misbehaves" ? await beginFault(window, fault) : null;
      rig.signal("SIGTERM");
      await pause(random() * 300);
      const end = sooner ?? (await beginFault(window, fault));
      await pause(lastsMs(window));
      if (fault === "node paused") await end();
      await rig.stop();
      if (fault === "client gone") {
        // Those who left come again, and want an answer.
        await startAgain(rig);
        return end();
      }
      if (fault !== "node paused") await end();
      return startAgain(rig);
    }
  }
}

async function whileMigrating(window: FaultWindow): Promise<void> {
  const { rig, fault, random } = window;
  await rig.kill();
  await goBack(rig);
  if (fault === "disk full" || fault === "database busy") {
    const end = await beginFault(window, fault);
    const { ready } = rig.begin();
    await Promise.race([ready, pause(lastsMs(window) + 2_000)]);
    await end();
    if (!(await ready)) await startAgain(rig);
    return;
  }
  const times = fault === "second kill" ? 2 : 1;
  switch (fault) {
    case "server killed":
    case "both killed":
    case "second kill":
      for (let time = 0; time < times; time += 1) {
        // A start that is not killed in time migrates, and the next has nothing left to do.
        await killServer(
          {
            ...window,
            failpoint: fault === "second kill" ? "migrate.search.created" : window.failpoint,
          },
          { trigger: () => void rig.begin(), withinMs: 2_500 },
        );
      }
      return startAgain(rig);
    default: {
      const { ready } = rig.begin();
      await pause(random() * 1_500);
      const end = await beginFault(window, fault);
      await pause(lastsMs(window));
      await end();
      if (!(await ready)) await startAgain(rig);
      return;
    }
  }
}

async function goBack(rig: CrashRig): Promise<void> {
  const migrations = await openMigrations({ engine: "sqlite", file: rig.database });
  for (;;) {
    const [undone] = await migrations.down();
    if (undone === undefined || undone.name === BACK_BEFORE) return;
  }
}

/** Begins what is not a kill of the server; returns how to end it. */
async function beginFault(
  { rig, sessions, random, counts }: FaultWindow,
  fault: Exclude<FaultName, "server killed" | "both killed" | "second kill">,
): Promise<() => Promise<void>> {
  switch (fault) {
    case "agent killed":
      counts.agentsKilled += rig.killAgents();
      return async () => {};
    case "agent misbehaves":
      for (const session of sessions) session.misbehave();
      return async () => {
        const begun = await Promise.all(sessions.map((session) => session.hasMisbehaved()));
        counts.misbehaviours += begun.filter(Boolean).length;
      };
    case "node paused":
      counts.pauses += 1;
      rig.signal("SIGSTOP");
      return async () => rig.signal("SIGCONT");
    case "database busy": {
      counts.busyPeriods += 1;
      const release = rig.holdDatabase();
      return async () => release();
    }
    case "disk full": {
      counts.fullDisks += 1;
      const free = rig.fillDisk();
      return async () => free();
    }
    case "client gone": {
      counts.clientsCut += sessions.length;
      for (const { watcher } of sessions) watcher.cut();
      const left = Promise.all(
        sessions
          .filter(({ moment }) => moment === "idle" || moment === "queued")
          .map((session) => session.sendAndLeave(random)),
      );
      left.catch(() => {});
      return async () => void (await left);
    }
    case "clock jump":
      counts.clockJumps += 1;
      rig.control({ clockMs: Math.round((random() - 0.5) * 4 * HOUR_MS) });
      return async () => rig.control({});
    default:
      return fault satisfies never;
  }
}

function lastsMs({ fault, rig, random }: FaultWindow): number {
  switch (fault) {
    case "node paused":
      return rig.silentMs + 500;
    case "database busy":
      // Some longer than the server waits for the database.
      return random() < 0.25 ? 6_000 : 500 + random() * 1_500;
    case "disk full":
      return 500 + random() * 1_500;
    default:
      return 300;
  }
}

/** What clients want of a server that may be about to die. They ask again afterwards. */
function goOnInVain({ sessions }: FaultWindow): void {
  for (const session of sessions) session.goOn().catch(() => {});
}

/** The same, and more for some of them to do. */
function busyAgain(window: FaultWindow): void {
  goOnInVain(window);
  for (const session of window.sessions)
    if (window.random() < MORE_FOR) session.sendMore().catch(() => {});
}
