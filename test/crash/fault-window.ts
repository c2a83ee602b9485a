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

/** How many faults of each kind were injected. */
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

/** Share of the sessions that get another message during a fault. */
const EXTRA_MESSAGE_SHARE = 0.15;
const HOUR_MS = 3_600_000;
/** The largest migration, and the oldest that can be rolled back without losing sessions. */
const OLDEST_ROLLBACK = "0003-search";

/** Injects the fault and waits until the server serves again. */
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
    case "server killed, agents inside":
    case "both killed":
      if (failpoint === null)
        return killManyTimes(window, {
          servingShare: 0.4,
          meanwhile: () => sendMoreRequests(window),
        });
      await killServer(window, { trigger: () => sendRequests(window) });
      return startAgain(rig);
    case "second kill":
      if (failpoint === null)
        return killManyTimes(window, {
          servingShare: 0.1,
          meanwhile: () => sendMoreRequests(window),
        });
      await killAtRandom(window);
      return killWhileStarting(window);
    case "disk full":
      return fillManyTimes(window);
    default: {
      const end = await beginFault(window, fault);
      sendRequests(window);
      await pause(durationMs(window));
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
    sendMoreRequests(window);
    await pause(durationMs(window));
    await end();
  }
}

async function whileStopping(window: FaultWindow): Promise<void> {
  const { rig, fault, random } = window;
  switch (fault) {
    case "server killed":
    case "server killed, agents inside":
    case "both killed":
      await killServer(window, { trigger: () => rig.signal("SIGTERM"), withinMs: 1_500 });
      return startAgain(rig);
    case "second kill":
      rig.signal("SIGTERM");
      await pause(random() * 800);
      await killAtRandom(window);
      return killWhileStarting(window);
    default: {
      // A stopping server soon stops its agents, so they must misbehave before.
      const early = fault === "agent misbehaves" ? await beginFault(window, fault) : null;
      rig.signal("SIGTERM");
      await pause(random() * 300);
      const end = early ?? (await beginFault(window, fault));
      await pause(durationMs(window));
      if (fault === "node paused") await end();
      await rig.stop();
      if (fault === "client gone") {
        // Clients that disconnected return and expect an answer.
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
  await rollBack(rig);
  if (fault === "disk full" || fault === "database busy") {
    const end = await beginFault(window, fault);
    const { ready } = rig.begin();
    await Promise.race([ready, pause(durationMs(window) + 2_000)]);
    await end();
    if (!(await ready)) await startAgain(rig);
    return;
  }
  const times = fault === "second kill" ? 2 : 1;
  switch (fault) {
    case "server killed":
    case "server killed, agents inside":
    case "both killed":
    case "second kill":
      for (let time = 0; time < times; time += 1) {
        // If a start is not killed in time, it completes the migration and the next start has nothing to do.
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
      await pause(durationMs(window));
      await end();
      if (!(await ready)) await startAgain(rig);
      return;
    }
  }
}

async function rollBack(rig: CrashRig): Promise<void> {
  const migrations = await openMigrations({ engine: "sqlite", file: rig.database });
  for (;;) {
    const [migration] = await migrations.down();
    if (migration === undefined || migration.name === OLDEST_ROLLBACK) return;
  }
}

/** Starts a fault that is not a kill of the server, and returns a function that ends it. */
async function beginFault(
  { rig, sessions, random, counts }: FaultWindow,
  fault: Exclude<FaultName, `server killed${string}` | "both killed" | "second kill">,
): Promise<() => Promise<void>> {
  switch (fault) {
    case "agent killed":
      counts.agentsKilled += rig.killAgents();
      return async () => {};
    case "agent misbehaves":
      for (const session of sessions) session.misbehave();
      return async () => {
        const results = await Promise.all(sessions.map((session) => session.hasMisbehaved()));
        counts.misbehaviours += results.filter(Boolean).length;
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

function durationMs({ fault, rig, random }: FaultWindow): number {
  switch (fault) {
    case "node paused":
      return rig.silentMs + 500;
    case "database busy":
      // A quarter of them last longer than the server waits for the database.
      return random() < 0.25 ? 6_000 : 500 + random() * 1_500;
    case "disk full":
      return 500 + random() * 1_500;
    default:
      return 300;
  }
}

/** Sends the clients' requests to a server that may be about to die. They retry afterwards. */
function sendRequests({ sessions }: FaultWindow): void {
  for (const session of sessions) session.proceed().catch(() => {});
}

/** Like `sendRequests`, with additional messages for some sessions. */
function sendMoreRequests(window: FaultWindow): void {
  sendRequests(window);
  for (const session of window.sessions)
    if (window.random() < EXTRA_MESSAGE_SHARE) session.sendMore().catch(() => {});
}
