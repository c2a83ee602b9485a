import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import type { Create } from "../../../domain/kernel/command.ts";
import { openStore } from "../../open-store.ts";
import type { Store } from "../../store.ts";
import type { Repo } from "../../ports/repository-store.ts";
import { beginSession, type SessionDriver } from "../session-driver.ts";
import { PATIENT, type TestStore } from "../test-database.ts";

export type OpenTestStore = () => Promise<TestStore>;

export interface SharedStore {
  readonly store: Store;
  readonly location: TestStore["location"];
  /** The repository of the sessions that `begin` creates. */
  readonly repo: Repo;
  begin(more?: Partial<Create>): Promise<SessionDriver>;
  /** Closes the store and opens the database again, as after a restart. */
  reopen(): Promise<Store>;
}

/** One database for all tests of a group. Each test has its own sessions. */
export function sharedStore(open: OpenTestStore): SharedStore {
  let opened: (Omit<TestStore, "store"> & { store: Store; readonly repo: Repo }) | null = null;
  const current = () => {
    if (opened === null) throw new Error("the store is opened by the tests, not by the group");
    return opened;
  };

  beforeAll(async () => {
    const fresh = await open();
    opened = { ...fresh, repo: await addRepo(fresh.store) };
  });
  afterAll(async () => {
    await opened?.store.close();
    await opened?.close();
  });

  return {
    get store() {
      return current().store;
    },
    get location() {
      return current().location;
    },
    get repo() {
      return current().repo;
    },
    begin: (more = {}) => beginSession(current().store, { repoId: current().repo.id, ...more }),
    reopen: async () => {
      await current().store.close();
      const store = await openStore(current().location, { clock: Date.now, ...PATIENT });
      current().store = store;
      return store;
    },
  };
}

/** For tests that count all rows or corrupt the database. */
export async function withStore(
  open: OpenTestStore,
  use: (opened: TestStore & { readonly repo: Repo }) => Promise<void>,
): Promise<void> {
  const opened = await open();
  try {
    await use({ ...opened, repo: await addRepo(opened.store) });
  } finally {
    await opened.close();
  }
}

export async function addRepo(store: Store, name: string = randomUUID()): Promise<Repo> {
  return store.addRepo({ id: `repo-${name}`, path: `/work/${name}`, name, createdAt: 1 });
}
