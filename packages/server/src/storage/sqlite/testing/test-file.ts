import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { FaultCode } from "../../fault.ts";
import { bothTellings } from "../../migrations/testing/replay.ts";
import { openMigrations } from "../../open-store.ts";
import type { Store } from "../../store.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";

/** Removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function migratedFile(): Promise<string> {
  const file = path.join(temporaryFolder(), "holdfast.db");
  await (await openMigrations({ engine: "sqlite", file })).up();
  return file;
}

export async function openTestFile(file: string, busyTimeoutMs = 100_000): Promise<Store> {
  const store = await openSqliteStore({ file, clock: Date.now, busyTimeoutMs });
  onTestFinished(() => store.close());
  return store;
}

export async function addRepo(store: Store): Promise<string> {
  const { id } = await store.addRepo({ id: "r", path: "/srv/r", name: "r", createdAt: 1 });
  return id;
}

export async function expectFault(promise: Promise<unknown>, code: FaultCode): Promise<void> {
  await expect(promise).rejects.toMatchObject({ name: "StorageFault", code });
}

/** Checks that the row and the log produce the same session. */
export async function expectOneTelling(store: Store, sessionId: string): Promise<void> {
  const { log, row } = await bothTellings(store, sessionId);
  expect(log).toEqual(row);
}
