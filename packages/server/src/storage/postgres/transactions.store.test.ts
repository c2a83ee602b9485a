import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, PATIENT, type TestDatabase } from "../testing/test-database.ts";
import { openPostgresConnection, type PostgresConnection } from "./connection.ts";
import { nameStatements, type StatementNames } from "./statement-names.ts";
import { askPool, transact } from "./transactions.ts";

let database: TestDatabase;
let connection: PostgresConnection;
let pool: Pool;
let names: StatementNames;

beforeEach(async () => {
  database = await createTestDatabase("postgres");
  if (database.location.engine !== "postgres") throw new Error("not PostgreSQL");
  connection = openPostgresConnection(database.location.url, {
    max: 1,
    query_timeout: PATIENT.replyTimeoutMs,
  });
  ({ pool } = connection);
  names = nameStatements();
  await pool.query(`create table "Line" ("number" integer primary key, "text" text)`);
});

afterEach(async () => {
  await connection.db.destroy();
  await database.remove();
});

const ADD = `insert into "Line" values ($1, $2)`;
const ALL = `select * from "Line" order by "number"`;
const lines = async (): Promise<readonly unknown[]> => (await pool.query(ALL)).rows;

describe("a transaction on PostgreSQL", () => {
  it("runs its statements in the order of the calls, whoever waits for a reply", async () => {
    const seen = await transact({ pool, names, durable: true }, async ({ ask, send, db }) => {
      send?.(ADD, [1, "a"]);
      send?.(`update "Line" set "text" = "text" || $1`, ["b"]);
      const before = await ask?.(ALL, []);
      await sql`update "Line" set "text" = "text" || 'c'`.execute(db);
      send?.(ADD, [2, "d"]);
      return before;
    });
    expect(seen).toEqual([{ number: 1, text: "ab" }]);
    expect(await lines()).toEqual([
      { number: 1, text: "abc" },
      { number: 2, text: "d" },
    ]);
  });

  it("limits its idle time, and is durable unless told otherwise", async () => {
    const settings = (durable: boolean) =>
      transact({ pool, names, durable }, async ({ ask }) =>
        ask?.(
          `select current_setting('idle_in_transaction_session_timeout') as "idle", current_setting('synchronous_commit') as "synced"`,
          [],
        ),
      );
    expect(await settings(true)).toEqual([{ idle: "3s", synced: "on" }]);
    expect(await settings(false)).toEqual([{ idle: "3s", synced: "off" }]);
    const after = await pool.query(`show synchronous_commit`);
    expect(after.rows).toEqual([{ synchronous_commit: "on" }]);
  });

  it("fails with a statement that nobody waited for, and stores nothing", async () => {
    const failing = transact({ pool, names, durable: true }, async ({ send }) => {
      send?.(ADD, [1, "a"]);
      send?.(ADD, [1, "again"]);
      send?.(ADD, [2, "b"]);
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect(await lines()).toEqual([]);
  });

  it("fails with the first of its failures", async () => {
    const failing = transact({ pool, names, durable: true }, async ({ ask, send }) => {
      send?.(ADD, [1, "a"]);
      send?.(ADD, [1, "again"]);
      await ask?.(ALL, []);
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect(await lines()).toEqual([]);
  });

  it("stores nothing if it was left with an error while a statement waited to be sent", async () => {
    const failing = transact({ pool, names, durable: true }, async ({ send }) => {
      send?.(ADD, [1, "a"]);
      throw new Error("changed its mind");
    });
    await expect(failing).rejects.toThrow("changed its mind");
    await pause(50);
    expect(await lines()).toEqual([]);
  });

  it("stores nothing if it could not begin", async () => {
    const broken: Pool = Object.create(pool, {
      connect: {
        value: async () => {
          const client = await pool.connect();
          const query = client.query.bind(client);
          const altered = (config: { text: string }, ...rest: never[]) =>
            query({ ...config, text: config.text.replace(/^begin/u, "selec; begin") }, ...rest);
          return Object.create(client, { query: { value: altered } });
        },
      },
    });
    const failing = transact({ pool: broken, names, durable: true }, async ({ send }) => {
      send?.(ADD, [1, "a"]);
    });
    await expect(failing).rejects.toMatchObject({ code: "42601" });
    const afterRead = transact({ pool: broken, names, durable: true }, async ({ ask, send }) => {
      await ask?.(ALL, []);
      send?.(ADD, [1, "a"]);
    });
    await expect(afterRead).rejects.toMatchObject({ code: "42601" });
    expect(await lines()).toEqual([]);
  });
});

describe("a statement whose name is lost", () => {
  it.each([
    ["was forgotten", "deallocate all"],
    ["stands for other columns", `alter table "Line" add column "more" text`],
  ])("runs without it, because it %s", async (_, change) => {
    const ask = askPool({ pool, names });
    await ask(ALL, []);
    await pool.query(change);
    expect(await ask(ALL, [])).toEqual([]);
    expect(names.query(ALL, []).name).toBeUndefined();
  });

  it("begins the transaction again, which is stored once", async () => {
    const add = (number: number) =>
      transact({ pool, names, durable: true }, async ({ ask, send }) => {
        send?.(ADD, [number, "a"]);
        await ask?.(`select 1`, []);
        send?.(`update "Line" set "text" = "text" || $1`, ["b"]);
      });
    await add(1);
    await pool.query("deallocate all");
    await add(2);
    expect(await lines()).toEqual([
      { number: 1, text: "abb" },
      { number: 2, text: "ab" },
    ]);
    expect(names.query(ADD, []).name).toBeUndefined();
  });
});
