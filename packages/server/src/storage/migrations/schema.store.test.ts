import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMigrations, type DatabaseLocation } from "../open-store.ts";
import { openRaw } from "../testing/raw-database.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { dumpSchema } from "./testing/dump-schema.ts";

const REFERENCE = "../../../../../docs/reference";

describe.each(["sqlite", "postgres"] as const)("the schema of %s", (engine) => {
  let database: TestDatabase;
  let rows: (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

  beforeAll(async () => {
    database = await createTestDatabase(engine);
    await (await openMigrations(database.location)).up();
    rows = (statement) => query(database.location, statement);
  });
  afterAll(() => database.remove());

  it("A15 is the one in the reference", async () => {
    await expect(await dumpSchema(database.location)).toMatchFileSnapshot(
      `${REFERENCE}/schema.${engine}.sql`,
    );
  });

  it("A15 has the required indexes, each with its column first", async () => {
    const indexed = await rows(engine === "sqlite" ? SQLITE_INDEXES : POSTGRES_INDEXES);

    const leading = indexed.map(({ table, column }) => `${String(table)}.${String(column)}`);
    expect(leading).toEqual(
      expect.arrayContaining([
        "AgentMessage.sessionId",
        "AgentSession.repoId",
        "AgentSession.status",
        "AgentSession.createdAt",
        "SessionEvent.sessionId",
        "Run.sessionId",
        "QueuedMessage.sessionId",
        "Suspension.sessionId",
      ]),
    );
    expect(indexed).toContainEqual({
      table: "AgentMessage",
      column: "sessionId",
      second: "timestamp",
    });
  });

  it("A15 ties every row to its session and every session to its repository", async () => {
    const keys = await rows(engine === "sqlite" ? SQLITE_FOREIGN_KEYS : POSTGRES_FOREIGN_KEYS);

    expect(keys.map((key) => Object.values(key).join(" "))).toEqual([
      "AgentMessage sessionId AgentSession id CASCADE",
      "AgentSession repoId Repo id NO ACTION",
      "FormerMessage sessionId AgentSession id CASCADE",
      "QueuedMessage sessionId AgentSession id CASCADE",
      "Run sessionId AgentSession id CASCADE",
      "SearchDocument messageId AgentMessage id CASCADE",
      "SearchDocument sessionId AgentSession id CASCADE",
      "SessionEvent sessionId AgentSession id CASCADE",
      "Suspension runId Run id CASCADE",
      "Suspension sessionId AgentSession id CASCADE",
    ]);
  });

  it.each([
    ["a status that does not exist", { status: "'completed'" }],
    ["a state that does not exist", { state: "'busy'" }],
    ["a phase that does not exist", { phase: "'dreaming'" }],
    ["a delivery policy that does not exist", { delivery: "'later'" }],
    ["a queue of less than nothing", { queued: "-1" }],
    ["a suspended session with a run under way", { status: "'suspended'", state: "'running'" }],
    ["an archived session at work", { status: "'archived'", state: "'running'", archivedAt: "1" }],
    ["an archived session without its time", { status: "'archived'" }],
    ["a failed session without its time", { status: "'error'" }],
    ["metadata that is not JSON", { metadata: "'{'" }],
    ["a repository that does not exist", { repoId: "'nowhere'" }],
  ])("A15 cannot hold %s", async (_what, wrong) => {
    await expect(insertSession(database.location, { id: "'wrong'", ...wrong })).rejects.toThrow(
      /constraint|json/u,
    );
    expect(await rows(`select * from "AgentSession"`)).toEqual([]);
  });

  it("A15 accepts a valid session", async () => {
    await insertSession(database.location, { id: "'right'" });
    expect(await rows(`select "id" from "AgentSession"`)).toEqual([{ id: "right" }]);
    await rows(`delete from "AgentSession"`);
  });
});

const SQLITE_INDEXES = `
  select t.name as "table", c.name as "column",
      (select name from pragma_index_info(i.name) where seqno = 1) as "second"
    from sqlite_master t join pragma_index_list(t.name) i join pragma_index_info(i.name) c on c.seqno = 0
    where t.type = 'table'`;

const POSTGRES_INDEXES = `
  select t.relname as "table", a.attname as "column", b.attname as "second"
    from pg_index i join pg_class t on t.oid = i.indrelid
      join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      left join pg_attribute b on b.attrelid = t.oid and b.attnum = i.indkey[1]
    where t.relnamespace = 'public'::regnamespace`;

const SQLITE_FOREIGN_KEYS = `
  select t.name as "table", k."from", k."table" as "target", k."to", k."on_delete"
    from sqlite_master t join pragma_foreign_key_list(t.name) k where t.type = 'table' order by 1, 2`;

const POSTGRES_FOREIGN_KEYS = `
  select t.relname as "table", a.attname as "from", f.relname as "target", b.attname as "to",
      case confdeltype when 'c' then 'CASCADE' when 'a' then 'NO ACTION' end as "on_delete"
    from pg_constraint k join pg_class t on t.oid = conrelid join pg_class f on f.oid = confrelid
      join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
      join pg_attribute b on b.attrelid = confrelid and b.attnum = confkey[1]
    where contype = 'f' order by 1, 2`;

async function query(location: DatabaseLocation, statement: string) {
  const raw = await openRaw(location);
  try {
    return await raw.all(statement);
  } finally {
    await raw.close();
  }
}

/** Only the rules of the database apply, as for any other program. */
async function insertSession(
  location: DatabaseLocation,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = {
    status: "'active'",
    state: "'idle'",
    phase: "'initializing'",
    phaseHistory: "'[]'",
    resumeReady: "0",
    errorCount: "0",
    metadata: "'{}'",
    supportsResume: "0",
    delivery: "'open'",
    queued: "0",
    createdAt: "1",
    updatedAt: "1",
    lastActiveAt: "1",
    version: "1",
    lastSeq: "0",
    ...given,
  };
  const rules =
    location.engine === "sqlite"
      ? "pragma foreign_keys = on; pragma ignore_check_constraints = off;"
      : "set session_replication_role = origin;";
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const raw = await openRaw(location);
  try {
    await raw.run(
      `${rules} insert into "AgentSession" (${names.join(", ")}) values (${Object.values(columns).join(", ")})`,
    );
  } finally {
    await raw.close();
  }
}
