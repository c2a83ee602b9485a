import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import { MIGRATION_NAMES } from "../../packages/server/src/storage/migrations/testing/migration-names.ts";
import { createPortal } from "../../packages/server/src/storage/migrations/testing/create-portal.ts";
import { dumpDatabase } from "../../packages/server/src/storage/migrations/testing/dump-database.ts";
import { SESSIONS } from "../../packages/server/src/storage/migrations/testing/portal-contents.ts";
import type { DatabaseLocation } from "../../packages/server/src/storage/open-store.ts";
import {
  holdfast,
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let folder: string;
let data: string;
let server: RunningServer | null = null;

beforeEach(() => {
  folder = temporaryFolder();
  data = path.join(folder, "data");
});
afterEach(async () => {
  await server?.end("SIGKILL");
  server = null;
  removeFolder(folder);
});

async function serve(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  server = await startHoldfast({ data });
  const { total } = await createClient(server).sessions.list();
  expect(total).toBeGreaterThan(0);
  await server.end(signal);
  server = null;
}

describe("a portal's database", () => {
  it("A15, rulings 14 and 15: keeps every status and time after it was served, stopped, killed and rolled back", async () => {
    const portal = await createPortal({ engine: "sqlite", shape: "second", contents: "odd" });
    if (portal.location.engine !== "sqlite") throw new Error("unreachable: it is a file");
    const file = path.join(data, "holdfast.db");
    const location: DatabaseLocation = { engine: "sqlite", file };
    mkdirSync(data, { mode: 0o700 });
    copyFileSync(portal.location.file, file);
    await portal.remove();
    expect(SESSIONS.map(({ status }) => status)).toContain("completed");
    const before = await dumpDatabase(location);

    await serve("SIGTERM");
    await serve("SIGKILL");
    await serve("SIGTERM");
    for (const name of MIGRATION_NAMES.slice(1).toReversed())
      expect((await holdfast(["db", "rollback", "--data", data])).stdout).toBe(
        `rolled back ${name}\n`,
      );

    expect(await dumpDatabase(location)).toBe(before);
  });
});
