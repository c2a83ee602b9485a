import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeContract } from "../testing/contract/store-contract.ts";
import { withStore } from "../testing/contract/shared-store.ts";
import { beginSession } from "../testing/session-driver.ts";
import { openTestStore, type TestStore } from "../testing/test-database.ts";
import { openSqliteConnection } from "./connection.ts";
import { migratedFile } from "./testing/test-file.ts";

const open = (): Promise<TestStore> => openTestStore("sqlite");

describe("sqlite store", () => {
  storeContract(open);

  describe("next to another writing program", () => {
    it("reads everything, and writes when the other is done", async () => {
      await withStore(open, async ({ store, location }) => {
        const session = await beginSession(store, { title: "Before" });
        const before = await session.stored();
        const other = new DatabaseSync(fileOf(location));
        other.exec(`begin immediate; update "AgentSession" set "title" = 'Half done'`);

        const writing = store.commit({
          before,
          events: [{ type: "session.updated", at: session.now, changes: { model: "large" } }],
        });
        const isWritten = { yet: false };
        void writing.then(() => (isWritten.yet = true));
        const reads = await Promise.all([
          store.load(session.id),
          store.listSessions({ limit: 10 }),
          store.readEvents({ sessionId: session.id, after: 0, limit: 10 }),
          store.health(),
        ]);

        expect(isWritten.yet).toBe(false);
        expect(reads[0]).toEqual({ found: "session", stored: before });
        expect(reads[1].sessions.map(({ title }) => title)).toEqual(["Before"]);
        other.exec("rollback");
        other.close();
        expect(await writing).toMatchObject({ ok: true });
        expect((await session.stored()).session).toMatchObject({ title: "Before", model: "large" });
      });
    });
  });

  describe("when it is closed", () => {
    it("leaves one file with all data", async () => {
      await withStore(open, async ({ store, location }) => {
        const file = fileOf(location);
        const sessions = await Promise.all(
          Array.from({ length: 30 }, (_, n) => beginSession(store, { title: `${n}` })),
        );
        expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
        await store.close();
        expect(existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0).toBe(0);
        const database = new DatabaseSync(file, { readOnly: true });
        const rows = database.prepare(`select "id" from "AgentSession" order by "id"`).all();
        database.close();
        expect(rows.map(({ id }) => id)).toEqual(sessions.map(({ id }) => id).toSorted());
      });
    });

    it("closes a connection whose query builder has built statements and run none", async () => {
      const connection = openSqliteConnection(await migratedFile(), { readOnly: true });
      const statement = connection.db.selectFrom("Repo").select("id").compile();
      expect(connection.run(statement.sql, statement.parameters)).toEqual([]);
      await connection.close();
      expect(connection.raw.isOpen).toBe(false);
    });
  });

  describe("a program that has closed it", () => {
    let opened: TestStore | null = null;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    it.each([
      { did: "opened and closed it", wishes: [] },
      { did: "wrote to it and closed it", wishes: ["write"] },
    ])("ends by itself: it $did", async ({ wishes }) => {
      if (opened === null) throw new Error("unreachable: it was opened before");
      const program = fileURLToPath(new URL("../testing/store-program.ts", import.meta.url));
      const child = spawn(process.execPath, [program, fileOf(opened.location), ...wishes], {
        stdio: "pipe",
      });
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
      const code = await new Promise((resolve) => child.once("close", resolve));
      expect({ code, said }).toEqual({ code: 0, said: "done" });
    });
  });
});

function fileOf(location: TestStore["location"]): string {
  if (location.engine !== "sqlite") throw new Error("unreachable: not a file");
  return location.file;
}
