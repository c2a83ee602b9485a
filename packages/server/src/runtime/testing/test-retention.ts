import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { RETENTION_POLICY } from "../../domain/retention.ts";
import { DAY_MS, NOON } from "../../domain/testing/commands.ts";
import type { Store } from "../../storage/store.ts";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type Engine, type TestStore } from "../../storage/testing/test-database.ts";
import { executeCommand } from "../execute-command.ts";
import { startRetention, type Retention, type RetentionOptions } from "../upkeep/retention.ts";

const REPO = { id: "repo-1", path: "/repo", name: "repo", createdAt: NOON };

/** Retention on a real database and a real folder, at a time that the test sets. */
export class TestRetention {
  readonly #database: TestStore;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  readonly #started: Retention[] = [];
  readonly bundles = path.join(this.#folder, "data", "bundles");
  readonly logged: {
    readonly text: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }[] = [];
  /** The sessions that were to be forgotten elsewhere. */
  readonly forgotten: string[] = [];
  now = NOON;
  obstacle: string | null = "its repository is gone";
  #onLog = (): void => {};

  private constructor(database: TestStore) {
    this.#database = database;
  }

  static async open(engine: Engine = "sqlite"): Promise<TestRetention> {
    const database = await openTestStore(engine);
    await database.store.addRepo(REPO);
    return new TestRetention(database);
  }

  /** Migrated long ago: nothing is kept for that. */
  get store(): Store {
    return { ...this.#database.store, migratedAt: 0 };
  }

  get location(): TestStore["location"] {
    return this.#database.location;
  }

  get context() {
    return { store: this.store, newId: randomUUID, clock: () => this.now };
  }

  start(more: Partial<RetentionOptions> = {}): Retention {
    const log = (fields: Readonly<Record<string, unknown>>, text: string): void => {
      this.logged.push({ text, fields });
      this.#onLog();
    };
    const retention = startRetention({
      store: this.store,
      policy: RETENTION_POLICY,
      obstacleOf: async () => this.obstacle,
      bundleFolder: this.bundles,
      bundleMs: 30 * DAY_MS,
      clock: () => this.now,
      execute: (execution) => executeCommand(this.context, execution),
      forgetSession: async (sessionId) => void this.forgotten.push(sessionId),
      log: { info: log, warn: log, error: log },
      firstAfterMs: 0,
      ...more,
    });
    this.#started.push(retention);
    return retention;
  }

  /** One that does nothing by itself while the test runs. */
  startLate(more: Partial<RetentionOptions> = {}): Retention {
    return this.start({ firstAfterMs: DAY_MS, ...more });
  }

  /** One round, of whatever is due. */
  async runOnce(more: Partial<RetentionOptions> = {}): Promise<void> {
    const round = this.counting(more.store ?? this.store);
    const retention = this.start({ ...more, store: round.store });
    await round.runs(1);
    await retention.stop();
  }

  /** Each round ends with old answers being forgotten, which is counted. */
  counting(store: Store) {
    let count = 0;
    const reached = waitable();
    return {
      store: {
        ...store,
        forgetAnswers: async (query: Parameters<Store["forgetAnswers"]>[0]) => {
          const forgot = await store.forgetAnswers(query);
          count += 1;
          reached.check();
          return forgot;
        },
      },
      count: () => count,
      runs: (wanted: number) => reached.when(() => count >= wanted),
    };
  }

  nextLog(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLog = resolve;
    });
  }

  begin(more: Parameters<typeof beginSession>[1] = {}): Promise<SessionDriver> {
    return beginSession(this.store, { repoId: REPO.id, ...more });
  }

  async suspended(more: Parameters<typeof beginSession>[1] = {}): Promise<SessionDriver> {
    const session = await this.begin(more);
    await session.perform({ type: "come-back", obstacle: "its repository is gone" });
    return session;
  }

  async failed(): Promise<SessionDriver> {
    const session = await this.begin();
    await session.perform({ type: "fail", reason: "broken" });
    return session;
  }

  async left(): Promise<readonly string[]> {
    const page = await this.store.listSessions({ limit: 1000 });
    return page.sessions.map(({ id }) => id).toSorted();
  }

  async close(): Promise<void> {
    await Promise.all(this.#started.map((retention) => retention.stop()));
    await this.#database.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function idsOf(sessions: readonly SessionDriver[]): readonly string[] {
  return sessions.map(({ id }) => id).toSorted();
}

/** Something that will be so, if whoever makes it so has it checked. */
export function waitable() {
  let check = (): void => {};
  return {
    check: () => check(),
    when: (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        check = () => {
          if (isSo()) resolve();
        };
        check();
      }),
  };
}
