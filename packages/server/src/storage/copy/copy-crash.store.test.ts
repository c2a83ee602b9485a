import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { allRows } from "../testing/all-rows.ts";
import { fillDatabase } from "../testing/full-database.ts";
import { countRows } from "../testing/raw-database.ts";
import { createTestDatabase, openTestStore, type TestStore } from "../testing/test-database.ts";
import { copyDatabase } from "./copy-database.ts";
import type { CopyOrder } from "./testing/copy-process.ts";

let original: TestStore;
beforeAll(async () => {
  original = await openTestStore("sqlite");
  await fillDatabase(original);
});
afterAll(() => original.close());

describe.each(["sqlite", "postgres"] as const)(
  "a copy into %s whose process is killed",
  (engine) => {
    it.each(["copy.AgentMessage", "copy.SetAside", "copy.indexed", "copy.verified"])(
      "at %s leaves nothing, and can be made again",
      async (dieAt) => {
        const database = await createTestDatabase(engine);
        onTestFinished(database.remove);
        const locations = { from: original.location, to: database.location };
        expect(copyUntilKilled({ ...locations, dieAt })).toBe("SIGKILL");
        const counts = await countRows(database.location);
        expect(new Set(Object.values(counts))).toEqual(new Set([0]));
        expect(await copyDatabase(locations)).toMatchObject({ ok: true });
        const { Repo: repos } = await allRows(original.location);
        expect((await allRows(database.location))["Repo"]).toEqual(repos);
      },
    );
  },
);

function copyUntilKilled(order: CopyOrder): NodeJS.Signals | null {
  const program = fileURLToPath(new URL("./testing/copy-process.ts", import.meta.url));
  const args = [program, JSON.stringify(order)];
  const { signal, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (signal === null) throw new Error(stderr);
  return signal;
}
