import { afterEach, beforeEach } from "vitest";
import { FAILED, NOON } from "../../../domain/testing/commands.ts";
import type { Store } from "../../../storage/store.ts";
import { beginSession } from "../../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../../storage/testing/test-database.ts";
import { BUNDLE_LIMITS, type BundleLimits } from "../bundle-limits.ts";
import { exportBundle } from "../export-bundle.ts";
import { importBundle } from "../import-bundle.ts";
import { collect, from } from "./lines.ts";

export const REPO = { id: "repo-1", path: "/work/repo", name: "repo", createdAt: NOON };
export const LATER = NOON + 60_000;

/** A database with a repository for each test, for exports and imports. */
export function bundleRig() {
  let opened: TestStore | null = null;
  let ids = 0;
  const test = (): TestStore => {
    if (opened === null) throw new Error("the store is opened by the tests, not by the group");
    return opened;
  };
  beforeEach(async () => {
    opened = await openTestStore("sqlite");
    await opened.store.addRepo(REPO);
    ids = 0;
  });
  afterEach(() => opened?.close());

  const context = (more: { readonly store?: Store; readonly limits?: BundleLimits } = {}) => ({
    store: test().store,
    newId: () => `new-${(ids += 1)}`,
    clock: () => LATER,
    ...more,
  });

  const take = (lines: readonly string[], limits: BundleLimits = BUNDLE_LIMITS) =>
    importBundle(context({ limits }), from(lines));

  const bundleOf = async (sessionId: string): Promise<string[]> => {
    const { store } = test();
    const exported = await exportBundle({ store, clock: () => LATER }, sessionId);
    if (!exported.ok) throw new Error(exported.refusal.message);
    return collect(exported.lines);
  };

  /** A session with one of each kind of line, and its bundle. */
  const full = async () => {
    const session = await beginSession(test().store, { repoId: REPO.id, title: "T" });
    await session.end(await session.run("first"), FAILED);
    const sent = await session.run("second");
    const asked = await session.suspend(sent);
    const queued = await session.send("third");
    return { session, sent, asked, queued, lines: await bundleOf(session.id) };
  };

  return {
    get store() {
      return test().store;
    },
    get location() {
      return test().location;
    },
    context,
    take,
    bundleOf,
    full,
  };
}
