import { stateOf } from "../../packages/server/src/domain/session.ts";
import type { Hint, Store } from "../../packages/server/src/storage/store.ts";
import { randomFrom } from "../security/fuzz/random.ts";
import { brokenIn, readFinal, unexplained, type Broken } from "./laws.ts";
import type { Plant } from "./plants.ts";
import { SimClients } from "./sim-clients.ts";
import type { SimDatabase } from "./sim-database.ts";
import { LEASE_MS, REPO, SimNode } from "./sim-node.ts";
import { Timeline } from "./timeline.ts";
import { count, latencyMs, type World } from "./world.ts";

export interface Outcome {
  readonly seed: number;
  readonly broken: readonly Broken[];
  readonly trace: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

const CHAOS_MS = 15_000;
/** Longer than all queued runs take one after the other. */
const SETTLED_WITHIN_MS = 120_000;

/**
 * One whole life of a server or of several nodes, decided by the seed: requests, agents, failures, crashes and the order of
 * everything. Then the failures end, the questions are answered, and all laws must hold.
 */
export async function simulate(
  database: SimDatabase,
  seed: number,
  {
    plant = null,
    keepsTrace = false,
    steers = plant?.steers ?? false,
  }: {
    readonly plant?: Plant | null;
    readonly keepsTrace?: boolean;
    readonly steers?: boolean;
  } = {},
): Promise<Outcome> {
  const random = randomFrom(seed);
  const timeline = new Timeline(random, { keepsTrace });
  const isShared = plant?.isShared ?? random.chance(0.5);
  const world: World = {
    timeline,
    random,
    plant,
    isShared,
    hasFaults: true,
    agents: [],
    prompts: [],
    steers,
    steered: [],
    asked: [],
    requests: [],
    hanging: new Set(),
    oldOwners: [],
    commits: [],
    counts: new Map(),
  };
  const uninstall = timeline.install();
  database.begin(() => timeline.now);
  try {
    const broken = await run(world, database);
    return { seed, broken, trace: timeline.trace, counts: world.counts };
  } finally {
    database.end();
    uninstall();
  }
}

async function run(world: World, database: SimDatabase): Promise<readonly Broken[]> {
  const { timeline, random, isShared } = world;
  const clock = (): number => timeline.now;
  const truth = database.view({ isShared, clock, onHint: () => {} });
  await truth.addRepo({ id: REPO.id, path: REPO.path, name: REPO.name, createdAt: 1 });
  const nodes: SimNode[] = [];
  const continueInterrupted = random.below(2);
  for (const name of ["a", "b", "c"].slice(0, isShared ? 2 + random.below(2) : 1)) {
    const tellOthers = (hint: Hint): void => {
      for (const other of nodes) {
        if (other.name === name || (world.hasFaults && random.chance(0.1))) continue;
        timeline.after(latencyMs(world), () => other.hear(hint), null);
      }
    };
    const skewMs = random.chance(0.3) ? random.below(4_000) - 2_000 : 0;
    nodes.push(new SimNode(world, { name, database, skewMs, continueInterrupted, tellOthers }));
  }
  for (const node of nodes) timeline.after(random.below(300), () => node.start(), null);
  const clients = new SimClients(world, nodes);
  await beginWork(world, clients);
  planFaults(world, nodes);
  await timeline.until(() => false, CHAOS_MS);

  timeline.note("no more faults");
  world.hasFaults = false;
  const healing = { isOver: false };
  const heal = (): void => {
    for (const node of nodes) {
      node.heal();
      node.start();
    }
    void clients.answerOne(null);
    if (!healing.isOver) timeline.after(400, heal, null);
  };
  timeline.after(0, heal, null);
  const isSettled = await untilSettled(world, truth, clients);
  healing.isOver = true;

  const broken: Broken[] = [];
  for (const sessionId of clients.sessions) {
    const final = await readFinal(truth, sessionId);
    // The model of all requests does not know steering.
    if (!world.steers) broken.push(...unexplained(world, sessionId));
    if (final !== null) broken.push(...brokenIn(world, final, clients.watches));
  }
  if (isSettled !== null) broken.push({ law: "everything settles", detail: isSettled });
  return broken;
}

async function beginWork(world: World, clients: SimClients): Promise<void> {
  const { timeline, random } = world;
  for (let index = 0; index < 1 + random.below(3); index += 1) {
    const begin = async (): Promise<void> => {
      const sessionId = await clients.create(`s${index}`);
      void clients.watch(sessionId);
      for (let acts = 3 + random.below(8); acts > 0; acts -= 1) {
        await timeline.wait(random.below(3_000));
        if (!world.hasFaults) return;
        clients.act(sessionId);
      }
    };
    timeline.after(random.below(2_000), () => void begin(), null);
  }
}

function planFaults(world: World, nodes: readonly SimNode[]): void {
  const { timeline, random, isShared } = world;
  const strike = (): void => {
    if (!world.hasFaults) return;
    const node = nodes[random.below(nodes.length)];
    if (node === undefined) return;
    const restart = (): void =>
      void timeline.after(50 + random.below(isShared ? 8_000 : 1_500), () => node.start(), null);
    const chance = random.next();
    if (chance < 0.35) {
      node.crash();
      restart();
    } else if (chance < 0.5) {
      void node.stop().then(restart);
    } else if (chance < 0.65) {
      const alive = world.agents.filter(({ isAlive }) => isAlive);
      alive[random.below(alive.length)]?.kill();
    } else if (chance < 0.8 && isShared) {
      node.cutOff(random.below(2.5 * LEASE_MS));
    } else if (chance < 0.9) {
      node.pause(random.below(2 * LEASE_MS));
    }
  };
  const strikes = random.below(6);
  count(world, `${strikes} strikes`);
  for (let index = 0; index < strikes; index += 1)
    timeline.after(1_000 + random.below(CHAOS_MS - 1_000), strike, null);
}

/** Null when every session has come to rest and every reader has everything; else what is missing. */
async function untilSettled(
  world: World,
  truth: Store,
  clients: SimClients,
): Promise<string | null> {
  const { timeline } = world;
  let why = "";
  for (let waitedMs = 0; waitedMs < SETTLED_WITHIN_MS; waitedMs += 500) {
    await timeline.until(() => false, 500);
    why = await unsettled(world, truth, clients);
    if (why === "") return null;
  }
  return why;
}

async function unsettled({ hanging }: World, truth: Store, clients: SimClients): Promise<string> {
  if (hanging.size > 0) return `${hanging.size} writes hang`;
  if (clients.pending > 0) return `${clients.pending} requests have no reply`;
  for (const sessionId of clients.sessions) {
    const loaded = await truth.load(sessionId);
    if (loaded.found !== "session") continue;
    const { session, lastSeq } = loaded.stored;
    const state = stateOf(session);
    if (state !== "idle") return `${sessionId} is ${session.standing.status}, ${state}`;
    if (session.standing.status === "suspended") return `${sessionId} stays suspended`;
    if (session.queue.length > 0) return `${sessionId} has ${session.queue.length} queued messages`;
    const late = clients.watches.find(
      (each) => each.sessionId === sessionId && each.after < lastSeq,
    );
    if (late !== undefined) return `a reader of ${sessionId} is at ${late.after} of ${lastSeq}`;
  }
  return "";
}
