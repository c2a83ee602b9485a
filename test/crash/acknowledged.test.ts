import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evolve } from "../../packages/server/src/domain/kernel/evolve.ts";
import type { Session } from "../../packages/server/src/domain/session.ts";
import { openMigrations, openStore } from "../../packages/server/src/storage/open-store.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import { COMPILE_CACHE } from "../machine/compile-cache.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";

const ROUNDS = repeat({ short: 3, long: 6 });
const WRITER = path.join(import.meta.dirname, "write-until-killed.ts");

interface Acknowledged {
  readonly session: string;
  readonly message?: string;
  readonly answer?: string;
}

let folder: string;
let file: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-crash-"));
  file = path.join(folder, "holdfast.db");
  await (await openMigrations({ engine: "sqlite", file })).up();
  const store = await openStore({ engine: "sqlite", file }, { clock: Date.now });
  await store.addRepo({ id: "repo", path: "/repo", name: "repo", createdAt: 0 });
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Kills the writing process after this many acknowledgements, whatever it is doing. */
function writeAndKill(round: number, after: number): Promise<readonly Acknowledged[]> {
  const args = [
    "--conditions=holdfast-source",
    "--disable-warning=ExperimentalWarning",
    WRITER,
    file,
    `r${round}`,
  ];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  return new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.split("\n").length > after) child.kill("SIGKILL");
    });
    child.once("close", (code, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`the writer exited by itself with ${code}`));
      const complete = output.slice(0, output.lastIndexOf("\n"));
      resolve(complete.split("\n").map((line): Acknowledged => JSON.parse(line)));
    });
  });
}

async function replay(store: Store, sessionId: string): Promise<Session | null> {
  const entries = await store.readEvents({ sessionId, after: 0, limit: 10_000 });
  return entries.reduce<Session | null>(
    (session, entry) =>
      evolve(
        session,
        entry.kind === "event" ? entry.event : { type: "output.appended", at: entry.at },
      ),
    null,
  );
}

describe("after kill -9 of the writing process", () => {
  it("everything acknowledged is stored once, and nothing is half written (P1, C5)", async () => {
    const acknowledged: Acknowledged[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      acknowledged.push(...(await writeAndKill(round, 30 + round * 37)));
    }

    const store = await openStore({ engine: "sqlite", file }, { clock: Date.now });
    const sessions = new Set(acknowledged.map(({ session }) => session));
    expect(sessions.size).toBeGreaterThan(ROUNDS);
    for (const sessionId of sessions) {
      const ofSession = acknowledged.filter(({ session }) => session === sessionId);
      const loaded = await store.load(sessionId);
      if (loaded.found !== "session")
        throw new Error(`session ${sessionId} was acknowledged and is lost`);
      expect(await replay(store, sessionId)).toEqual(loaded.stored.session);

      const messages = await store.readMessages({ sessionId });
      const ids = messages.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const acknowledgedIds = new Set(
        ofSession
          .flatMap(({ message, answer }) => [message, answer])
          .filter((id) => id !== undefined),
      );
      expect(ids).toEqual(expect.arrayContaining([...acknowledgedIds]));

      const pieces = ofSession.filter(({ answer }) => answer !== undefined).length;
      const text = messages.find(({ role }) => role === "agent")?.content["text"] ?? "";
      const stored = typeof text === "string" ? text.split(" ").length - 1 : 0;
      expect(stored).toBeGreaterThanOrEqual(pieces);
    }
    await store.close();
    const raw = new DatabaseSync(file);
    expect(raw.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    expect(raw.prepare("pragma foreign_key_check").all()).toEqual([]);
    raw.close();
  });
});
