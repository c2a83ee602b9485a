import { setTimeout as pause } from "node:timers/promises";
import type { FaultWindow } from "./fault-window.ts";
import type { CrashRig } from "./crash-rig.ts";

/** How often a round at random kills. */
export interface Kills {
  readonly fewest: number;
  readonly most: number;
}

/** A failpoint that is not reached in this time is given up: the kill is then one at random. */
const REACHED_WITHIN_MS = 15_000;
/** A run of many kills has many in each round; what is about single moments needs few. */
export const MANY_KILLS: Kills = { fewest: 8, most: 20 };
export const FEW_KILLS: Kills = { fewest: 2, most: 3 };
export const ONE_KILL: Kills = { fewest: 1, most: 1 };
const SHORTEST_GAP_MS = 50;
const LONGEST_GAP_MS = 1_500;
/** From the first look into the database until the server serves, and a little more. */
const RECOVERY_MS = 600;

/** At random: some while it serves again and has been given more to do, the others while it still recovers. */
export async function killManyTimes(
  window: FaultWindow,
  {
    servingShare,
    meanwhile,
  }: {
    /** Of the kills, those that wait until the server serves again. */
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

/** At the failpoint if there is one and it is reached; else at random. `trigger` makes something happen. */
export async function killServer(
  window: FaultWindow,
  { trigger, withinMs = 300 }: { readonly trigger: () => void; readonly withinMs?: number },
): Promise<void> {
  const { rig, fault, failpoint, random, counts } = window;
  const killAgents = (): void => {
    if (fault === "both killed") counts.agentsKilled += rig.killAgents();
  };
  if (failpoint === null) {
    trigger();
    await pause(random() * withinMs);
    noteAgents(window);
    // One that was stopping may have ended by itself.
    if (rig.isUp) counts.randomKills += 1;
    rig.signal("SIGKILL");
    killAgents();
    return rig.gone();
  }
  const isOften = failpoint === "command.committed" || failpoint === "recovery.claimed";
  rig.control({ dieAt: { failpoint, time: isOften ? 1 + Math.floor(random() * 4) : 1 } });
  trigger();
  const isReached = await Promise.race([
    rig.gone().then(() => true),
    pause(REACHED_WITHIN_MS, false, { ref: false }),
  ]);
  killAgents();
  rig.control({});
  if (isReached) counts.failpointKills += 1;
  else await killAtRandom(window);
}

export async function killAtRandom(window: FaultWindow): Promise<void> {
  const { rig, fault, counts } = window;
  if (!rig.isUp) return;
  noteAgents(window);
  await rig.kill();
  counts.randomKills += 1;
  if (fault === "both killed") counts.agentsKilled += rig.killAgents();
}

/** The first start after a kill is killed, too. */
export async function killWhileStarting(window: FaultWindow): Promise<void> {
  await killServer(window, { trigger: () => void window.rig.begin(), withinMs: 3_000 });
  return startAgain(window.rig);
}

export async function startAgain(rig: CrashRig): Promise<void> {
  if (!(await rig.start())) throw new Error(`the server does not start: ${rig.said}`);
}

/** They lose their server now; none may be left when the next one serves. */
function noteAgents({ rig, orphans }: FaultWindow): void {
  for (const pid of rig.agents()) orphans.add(pid);
}
