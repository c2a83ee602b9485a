import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DatabaseLocation } from "../../storage/open-store.ts";
import { beginSession } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { copyDatabase, describeCopied } from "./database.ts";

const quietly = { onProgress: () => {} };

describe("holdfast db copy", () => {
  it("creates the target folder for its owner only and reports the copied rows", async () => {
    const { from, to, file } = await prepare();
    const copied = await copyDatabase({ from, to }, quietly);
    expect(describeCopied(copied, { to }).split("\n")).toEqual([
      `Copied to SQLite, ${file}, and verified:`,
      "  Repo            0",
      "  AgentSession    1",
      "  AgentMessage    0",
      "  FormerMessage   0",
      "  Run             0",
      "  SessionEvent    1",
      "  QueuedMessage   0",
      "  Suspension      0",
      "  IdempotencyKey  0",
      "  AccessToken     0",
      "  Browser         0",
      "  ProviderOffer   0",
      "  SetAside        0",
    ]);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  });

  it("fails with one line that contains the next step", async () => {
    const { test, from, to, file } = await prepare();
    const failing = (settings: { from: DatabaseLocation; to: DatabaseLocation }) =>
      copyDatabase(settings, quietly).catch((error: unknown) => error);
    const failure = (message: string, exitCode = 2) =>
      expect.objectContaining({ message, exitCode });
    const name = `SQLite, ${from.engine === "sqlite" ? from.file : ""}`;

    await test.store.renewLease({ node: "alive", ttlMs: 60_000 });
    expect(await failing({ from, to })).toEqual(
      failure(
        `${name}: a server uses it. Stop the server and try again. A server that was killed counts as running for up to a minute.`,
      ),
    );
    expect(existsSync(file)).toBe(false);
    await test.store.dropLease("alive");
    expect(await failing({ from: to, to: from })).toEqual(
      failure(`SQLite, ${file}: no such database.`, 1),
    );
    expect(await failing({ from, to: from })).toEqual(
      failure(`${name}: --from and --to are the same database.`),
    );
    await copyDatabase({ from, to }, quietly);
    expect(await failing({ from, to })).toEqual(
      failure(`SQLite, ${file}: the database is not empty. Copy into a new database.`),
    );
  });
});

interface Prepared {
  readonly test: TestStore;
  readonly from: DatabaseLocation;
  readonly to: DatabaseLocation;
  /** Of the target, in a folder that is not there. */
  readonly file: string;
}

async function prepare(): Promise<Prepared> {
  const test = await openTestStore("sqlite");
  onTestFinished(() => test.close());
  await beginSession(test.store);
  const { location: from } = test;
  if (from.engine !== "sqlite") throw new Error("it is a file");
  const file = path.join(path.dirname(from.file), "new", "holdfast.db");
  return { test, from, to: { engine: "sqlite", file }, file };
}
