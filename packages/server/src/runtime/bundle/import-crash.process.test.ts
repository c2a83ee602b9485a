import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeat } from "../../domain/testing/repeat.ts";
import { addLongSession } from "../../storage/testing/long-session.ts";
import { countRows, openRaw } from "../../storage/testing/raw-database.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { dropLeftImports } from "./store-bundle.ts";
import { exportBundle } from "./export-bundle.ts";
import { importBundle } from "./import-bundle.ts";
import { collect, from } from "./testing/lines.ts";
import type { DyingImport } from "./testing/import-until-killed.ts";

/** Each day every moment on one of the databases; the long run has all on both. */
const KILLED_AT = repeat<Record<"sqlite" | "postgres", readonly DyingImport["dieAt"][]>>({
  short: { sqlite: [1, "finish"], postgres: [9, "dropping"] },
  long: { sqlite: [1, 9, "finish", "dropping"], postgres: [1, 9, "finish", "dropping"] },
});

const NEVER = new AbortController().signal;

describe.each(["sqlite", "postgres"] as const)("an import on %s", (engine) => {
  let test: TestStore;
  let folder: string;
  let sessionId: string;
  let lines: readonly string[];

  beforeAll(async () => {
    test = await openTestStore(engine);
    folder = mkdtempSync(path.join(tmpdir(), "holdfast-crash-"));
    sessionId = await addLongSession(test.store, { messages: 2_500, longLength: 1_000 });
    lines = await linesOf(test, sessionId);
    writeFileSync(path.join(folder, "bundle.jsonl"), lines.join("\n"));
  });
  afterAll(async () => {
    await test.close();
    rmSync(folder, { recursive: true });
  });

  it.each(KILLED_AT[engine])(
    "A13 whose process is killed (%s) is never seen, is removed at the next start, and can be repeated",
    async (dieAt) => {
      const { store, location } = test;
      await store.deleteSessions([sessionId]);
      const empty = await countRows(location);
      const spoolFolder = path.join(folder, "spool");
      const bundle = path.join(folder, "bundle.jsonl");

      expect(importUntilKilled({ location, bundle, spoolFolder, dieAt })).toBe("SIGKILL");
      expect(readdirSync(spoolFolder)).toEqual([]);
      expect(await countRows(location)).toMatchObject({ AgentSession: 1 });
      expect(await store.readSession(sessionId)).toEqual({ found: "nothing" });
      expect((await store.listSessions({ limit: 10, search: "word1" })).total).toBe(0);
      expect((await store.health()).counts).toMatchObject({ active: 0, archived: 0 });

      await runOutLeases(test);
      await dropLeftImports(store, NEVER);
      expect(await countRows(location)).toEqual(empty);
      const context = { store, newId: () => `new-${dieAt}`, clock: Date.now, spoolFolder };
      expect(await importBundle(context, from(lines))).toMatchObject({ ok: true });
      expect((await store.listSessions({ limit: 10, search: "word1" })).total).toBe(1);
    },
  );
});

function importUntilKilled(order: DyingImport): NodeJS.Signals | null {
  const program = fileURLToPath(new URL("./testing/import-until-killed.ts", import.meta.url));
  const args = [program, JSON.stringify(order)];
  const { signal, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (signal === null) throw new Error(stderr);
  return signal;
}

async function linesOf({ store }: TestStore, sessionId: string): Promise<readonly string[]> {
  const exported = await exportBundle({ store, clock: Date.now }, sessionId);
  if (!exported.ok) throw new Error(exported.refusal.message);
  return collect(exported.lines);
}

async function runOutLeases({ location }: TestStore): Promise<void> {
  const raw = await openRaw(location);
  await raw.run(`update "NodeLease" set "expiresAt" = 1`);
  await raw.close();
}
