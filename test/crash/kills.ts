import { setTimeout as pause } from "node:timers/promises";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import type { FaultWindow } from "./fault-window.ts";
import type { CrashRig } from "./crash-rig.ts";

/** Range of the number of kills in a random round. */
export interface Kills {
  readonly fewest: number;
  readonly most: number;
}

/** If a failpoint is not reached within this time, the server is killed at random instead. */
const REACHED_WITHIN_MS = 15_000;
/** Rounds of random kills have many. Rounds about single moments need few. */
export const MANY_KILLS: Kills = { fewest: 8, most: 20 };
export const FEW_KILLS: Kills = { fewest: 2, most: 3 };
export const ONE_KILL: Kills = { fewest: 1, most: 1 };
const SHORTEST_GAP_MS = 50;
const LONGEST_GAP_MS = 1_500;
/** Slightly longer than the time from opening the database until the server serves. */
const RECOVERY_MS = 600;

/** Kills at random: sometimes when the server serves again and has new work, otherwise while it recovers. */
export async function killManyTimes(
  window: FaultWindow,
  {
    servingShare,
    meanwhile,
  }: {
    /** Share of the kills that wait until the server serves again. */
    readonly servingShare: number;
    readonly meanwhile: () => void;
  },
): Promise<void> {
  const { rig, random, kills } = window;
  const times = kills.fewest + Math.floor(random() * (kills.most - kills.fewest + 1));
  let isServing = true;
  for (let time = 0; time < times; time += 1) {
    if (isServing) meanwhile();
    await pause(isServing ? gapMs(random) : random() * RECOVERY_MS);
    await killAtRandom(window);
    isServing = time === times - 1 || random() < servingShare;
    if (isServing) await startAgain(rig);
    else await loadAgain(rig);
  }
}

function gapMs(random: () => number): number {
  return SHORTEST_GAP_MS + random() * (LONGEST_GAP_MS - SHORTEST_GAP_MS);
}

async function loadAgain(rig: CrashRig): Promise<void> {
  const { loaded, ready } = rig.begin();
  ready.catch(() => {});
  await loaded;
}

/** Kills at the failpoint if there is one and it is reached, otherwise at random. `trigger` starts the activity. */
export async function killServer(
  window: FaultWindow,
  { trigger, withinMs = 300 }: { readonly trigger: () => void; readonly withinMs?: number },
): Promise<void> {
  const { rig, failpoint, random, counts } = window;
  if (failpoint === null) {
    trigger();
    await pause(random() * withinMs);
    recordOrphans(window);
    // A stopping server may already have exited.
    if (rig.isUp) counts.randomKills += 1;
    rig.signal("SIGKILL");
    killAgents(window);
    return rig.exited();
  }
  const isFrequent = failpoint === "command.committed" || failpoint === "recovery.claimed";
  rig.control({ dieAt: { failpoint, time: isFrequent ? 1 + Math.floor(random() * 4) : 1 } });
  trigger();
  const isReached = await exitsWithin(rig, REACHED_WITHIN_MS);
  killAgents(window);
  rig.control({});
  if (isReached) counts.failpointKills += 1;
  else await killAtRandom(window);
}

export async function killAtRandom(window: FaultWindow): Promise<void> {
  const { rig, counts } = window;
  if (!rig.isUp) return;
  recordOrphans(window);
  await rig.kill();
  counts.randomKills += 1;
  killAgents(window);
}

/** Sometimes with the process that keeps them alive, as in a machine that restarts. */
function killAgents({ rig, fault, random, counts }: FaultWindow): void {
  if (fault !== "both killed") return;
  if (random() < 0.5) rig.killHost();
  counts.agentsKilled += rig.killAgents();
}

/** Also kills the first start after a kill. */
export async function killWhileStarting(window: FaultWindow): Promise<void> {
  await killServer(window, { trigger: () => void window.rig.begin(), withinMs: 3_000 });
  return startAgain(window.rig);
}

export async function startAgain(rig: CrashRig): Promise<void> {
  if (!(await rig.start())) throw new Error(`the server does not start: ${rig.output}`);
}

/** These agents lose their server. None may be left when the next server serves. */
function recordOrphans({ rig, orphans }: FaultWindow): void {
  for (const pid of rig.agents()) orphans.add(pid);
}

/** Whether the server exits within this much time on the calm clock. */
async function exitsWithin(rig: CrashRig, withinMs: number): Promise<boolean> {
  const isOver = calmDeadline(withinMs);
  const exited = rig.exited().then(() => true);
  for (;;) {
    if (await Promise.race([exited, pause(50, false, { ref: false })])) return true;
    if (isOver()) return false;
  }
}
