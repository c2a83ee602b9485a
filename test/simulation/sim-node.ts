import { LIMITS } from "../../packages/server/src/runtime/context.ts";
import { openRuntime, type OpenRuntime } from "../../packages/server/src/runtime/open-runtime.ts";
import type { Repositories } from "../../packages/server/src/runtime/repositories/repositories.ts";
import type { Runtime } from "../../packages/server/src/runtime/runtime.ts";
import type { Hint, Repo } from "../../packages/server/src/storage/store.ts";
import { simProvider } from "./sim-agent.ts";
import type { SimDatabase } from "./sim-database.ts";
import { simStore, type SimStore } from "./sim-store.ts";
import { newOwner, type Owner } from "./timeline.ts";
import { count, type World } from "./world.ts";

export const LEASE_MS = 5_000;
export const REPO: Repo = { id: "repo", path: "/repo", name: "repo", createdAt: 1 };

/** One process of the server: what it keeps in memory is lost when it crashes. */
interface Life {
  readonly owner: Owner;
  readonly sim: SimStore;
  open: OpenRuntime | null;
}

export interface SimNodeOptions {
  readonly name: string;
  readonly database: SimDatabase;
  /** By how much its wall clock is wrong. */
  readonly skewMs: number;
  readonly continueInterrupted: number;
  readonly tellOthers: (hint: Hint) => void;
}

/** A node of the simulation: the real runtime in one process after another. */
export class SimNode {
  readonly name: string;
  readonly #world: World;
  readonly #options: SimNodeOptions;
  readonly #crashed = new Set<() => void>();
  #life: Life | null = null;
  #lives = 0;
  #cutOffUntil = 0;

  constructor(world: World, options: SimNodeOptions) {
    this.#world = world;
    this.#options = options;
    this.name = options.name;
  }

  /** Mostly, so that another node takes over before a write that hangs arrives. */
  #loseLease(owner: Owner): void {
    const { timeline, random, hasFaults } = this.#world;
    if (!hasFaults || this.#life?.owner !== owner) return;
    const chance = random.next();
    if (chance < 0.4) {
      this.crash();
      timeline.after(50 + random.below(8_000), () => this.start(), null);
    } else if (chance < 0.6) this.pause(LEASE_MS + random.below(LEASE_MS));
    else if (chance < 0.8) this.cutOff(LEASE_MS + random.below(LEASE_MS));
  }

  /** The requests it takes; null while it is down or starting. */
  get runtime(): Runtime | null {
    return this.#life?.open?.runtime ?? null;
  }

  get isRunning(): boolean {
    return this.#life !== null;
  }

  get owner(): Owner | null {
    return this.#life?.owner ?? null;
  }

  start(): void {
    if (this.#life !== null) return;
    const { timeline, random } = this.#world;
    const { name, database, skewMs, tellOthers } = this.#options;
    this.#lives += 1;
    const id = `${name}.${this.#lives}`;
    const owner = newOwner(id);
    const clock = (): number => timeline.now + skewMs;
    const sim = simStore(this.#world, {
      database,
      owner,
      clock,
      tellOthers,
      isCutOff: () => timeline.now < this.#cutOffUntil,
      onHang: () => timeline.after(random.below(1_000), () => this.#loseLease(owner), null),
      onStall: () => {
        if (this.#life?.owner === owner) this.pause(LEASE_MS + random.below(LEASE_MS));
      },
    });
    const life: Life = { owner, sim, open: null };
    this.#life = life;
    timeline.note(`${id} starts`);
    const provider = simProvider(this.#world, owner);
    let ids = 0;
    void timeline.as(owner, async () => {
      try {
        life.open = await openRuntime({
          store: sim.store,
          node: id,
          formerNode: this.#lives > 1 && random.chance(0.7) ? `${name}.${this.#lives - 1}` : null,
          catalog: {
            get: (each) => (each === provider.name ? provider : null),
            all: () => [provider],
            defaultName: provider.name,
            makeDefault: () => {},
          },
          repositories: REPOSITORIES,
          limits: { ...LIMITS, liveAgents: 2, retryPauseMs: 100, idleMs: 4_000, silentMs: 12_000 },
          member: { name, labels: [], leaseMs: LEASE_MS, drainMs: 2_000 },
          continueInterrupted: this.#options.continueInterrupted,
          clock,
          newId: () => `${id}-${(ids += 1)}`,
          log: {
            info: () => {},
            warn: (_, text) => timeline.note(`warns: ${text}`),
            error: (fields, text) => timeline.note(`error: ${text} ${errorIn(fields)}`),
          },
          forgetSession: async () => {},
        });
        timeline.note(`${id} is ready`);
      } catch (error) {
        // As a process that could not start: it exits and is started again.
        timeline.note(`${id} did not start: ${String(error)}`);
        this.crash();
        timeline.after(500, () => this.start(), null);
      }
    });
  }

  /** The process is gone, with everything it had in memory and with its agents. */
  crash(): void {
    const life = this.#life;
    if (life === null) return;
    count(this.#world, "crash");
    this.#world.timeline.note(`${life.owner.name} crashes`);
    life.owner.isDead = true;
    this.#life = null;
    for (const tell of this.#crashed) tell();
    this.#crashed.clear();
  }

  /** As on SIGTERM. */
  async stop(): Promise<void> {
    const life = this.#life;
    if (life === null || life.open === null) return;
    const { open, owner } = life;
    count(this.#world, "stop");
    this.#world.timeline.note(`${owner.name} stops`);
    await this.request(() => open.stop({ deadlineMs: 10_000 })).catch(() => {});
    if (this.#life === life) this.crash();
  }

  pause(ms: number): void {
    if (this.#life === null) return;
    count(this.#world, "pause");
    this.#world.timeline.note(`${this.#life.owner.name} pauses for ${ms} ms`);
    const { owner } = this.#life;
    // A second pause does not end the first one.
    owner.pausedUntil = Math.max(owner.pausedUntil, this.#world.timeline.now + ms);
  }

  /** The database cannot be reached from here. */
  cutOff(ms: number): void {
    count(this.#world, "cut off");
    this.#world.timeline.note(`${this.name} is cut off for ${ms} ms`);
    this.#cutOffUntil = this.#world.timeline.now + ms;
  }

  /** A pause ends when it was to end. */
  heal(): void {
    this.#cutOffUntil = 0;
  }

  hear(hint: Hint): void {
    const life = this.#life;
    if (life !== null) this.#world.timeline.as(life.owner, () => life.sim.hear(hint));
  }

  /** Runs a request in this process. Rejects when the process crashes first. */
  request<Value>(act: (runtime: Runtime) => Promise<Value>): Promise<Value> {
    const { runtime, owner } = this;
    if (runtime === null) return Promise.reject(new Error("the node is down"));
    return new Promise((resolve, reject) => {
      const crashed = (): void => reject(new Error("the node crashed"));
      this.#crashed.add(crashed);
      this.#world.timeline
        .as(owner, () => act(runtime))
        .then(resolve, reject)
        .finally(() => this.#crashed.delete(crashed));
    });
  }

  /** Calls back once when the process that runs now is gone. */
  onCrash(tell: () => void): void {
    this.#crashed.add(tell);
  }
}

const openForAgent: Repositories["openForAgent"] = async () => ({
  ok: true,
  workspace: { path: REPO.path, descriptor: null, close: async () => {} },
});

const REPOSITORIES: Repositories = {
  add: async () => ({ ok: true, repo: REPO }),
  list: async () => [REPO],
  find: async () => ({ found: [], truncated: false }),
  remove: async () => ({ ok: true, repo: REPO }),
  missing: async () => [],
  openForAgent,
  openForSession: openForAgent,
  refuse: async () => null,
  openDirectory: async (path) => ({
    ok: true,
    workspace: { path, descriptor: null, close: async () => {} },
  }),
};

function errorIn(fields: object): string {
  const error: unknown = "err" in fields ? fields.err : null;
  return error instanceof Error ? error.message : "";
}
