import { mkdirSync } from "node:fs";
import path from "node:path";
import {
  openMigrations,
  openStore,
  type DatabaseLocation,
} from "../packages/server/src/storage/open-store.ts";
import type { Store } from "../packages/server/src/storage/store.ts";
import { openRaw, type RawDatabase } from "../packages/server/src/storage/testing/raw-database.ts";

import { eventsOf, messageText, REPOS } from "./fill.ts";

/** Sessions created by the kernel. SQL copies them for the others. */
const TEMPLATES = 20;
/** Small enough that a million sessions are from the last days: a server would remove older ones during the measurement. */
const EVERY_MS = 250;

export interface Fill {
  readonly sessions: number;
  /** Leaves sessions active, as after a crash. A start suspends those whose repository has no folder. */
  readonly isOpen?: boolean;
  /** Gets the folders of the repositories; without it they have none. */
  readonly root?: string;
}

/** Fills a database with typical sessions of orchestrators: named, with two phases, some archived, none active. */
export async function fillDatabase(
  location: DatabaseLocation,
  { sessions, isOpen = false, root }: Fill,
): Promise<void> {
  await (await openMigrations(location)).up();
  const store = await openStore(location, { clock: Date.now });
  const startAt = Date.now() - (sessions + TEMPLATES) * EVERY_MS;
  for (const [index, id] of REPOS.entries()) {
    const folder = path.join(root ?? "/repos", String(index));
    if (root !== undefined) mkdirSync(path.join(folder, ".git"), { recursive: true });
    await store.addRepo({ id, path: folder, name: id, createdAt: startAt });
  }
  await addTemplates(store, { isOpen, startAt });
  await store.close();
  const raw = await openRaw(location);
  if (sessions > TEMPLATES) await copySessions(raw, { engine: location.engine, sessions });
  await raw.close();
}

/** Copies the templates in a database that contains no other sessions. */
async function copySessions(
  raw: RawDatabase,
  { engine, sessions }: { readonly engine: DatabaseLocation["engine"]; readonly sessions: number },
): Promise<void> {
  const isSqlite = engine === "sqlite";
  const copies = Math.ceil(sessions / TEMPLATES) - 1;
  const number = `(copy.n * ${TEMPLATES} + template."number")`;
  const newId = isSqlite
    ? `printf('00000000-0000-7000-8000-%012x', ${number})`
    : `'00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0')`;
  const each = `from ${numbersTo(engine, copies)} as copy ${isSqlite ? "" : "(n)"} cross join template`;
  const insert = async (
    table: string,
    { key, own }: { readonly key: string; readonly own: Readonly<Record<string, string>> },
  ): Promise<void> => {
    const names = await columnsOf(raw, { engine, table });
    const values = names.map((name) => own[name] ?? `"${table}"."${name}"`);
    await raw.run(`insert into "${table}" (${names.map((name) => `"${name}"`).join(", ")})
      select ${values.join(", ")} ${each} join "${table}" on "${table}"."${key}" = template."id"
      where ${number} < ${sessions}`);
  };
  const later = (column: string): string => `"${column}" + copy.n * ${TEMPLATES * EVERY_MS}`;

  if (isSqlite) await raw.run("pragma synchronous = off; pragma cache_size = -200000");
  await raw.run(`create temporary table template as select "id", row_number() over (order by "id") - 1 as "number"
    from "AgentSession"`);
  await raw.run("begin");
  await insert("AgentSession", {
    key: "id",
    own: {
      id: newId,
      title: `'Session number ' || ${number}`,
      createdAt: later("createdAt"),
      updatedAt: later("updatedAt"),
      lastActiveAt: later("lastActiveAt"),
      archivedAt: later("archivedAt"),
    },
  });
  await insert("SessionEvent", {
    key: "sessionId",
    own: { sessionId: newId, at: later("at"), data: `replace("data", template."id", ${newId})` },
  });
  if (isSqlite) {
    await raw.run(
      `insert into "SearchDocument" ("sessionId") select ${newId} ${each} where ${number} < ${sessions}`,
    );
    await raw.run(`insert into "SearchIndex" (rowid, words) select "key",
        lower("title") || ' approval workflow ' || replace("agentName", '-', ' ')
      from "SearchDocument" join "AgentSession" on "AgentSession"."id" = "SearchDocument"."sessionId"
      where "SearchDocument"."key" > ${TEMPLATES}`);
  } else {
    await raw.run(`insert into "SearchDocument" ("sessionId", "words") select ${newId}, "words" ${each}
      join "SearchDocument" on "SearchDocument"."sessionId" = template."id" where ${number} < ${sessions}`);
  }
  await raw.run("commit");
  await raw.run(isSqlite ? "pragma wal_checkpoint(truncate)" : "vacuum analyze");
}

async function columnsOf(
  raw: RawDatabase,
  { engine, table }: { readonly engine: DatabaseLocation["engine"]; readonly table: string },
): Promise<readonly string[]> {
  const columns = await raw.all(
    engine === "sqlite"
      ? `select name from pragma_table_info('${table}')`
      : `select column_name as name from information_schema.columns
          where table_schema = 'public' and table_name = '${table}'`,
  );
  return columns.map(({ name }) => String(name));
}

async function addTemplates(
  store: Store,
  { isOpen, startAt }: { readonly isOpen: boolean; readonly startAt: number },
): Promise<void> {
  for (let index = 0; index < TEMPLATES; index += 1) {
    await store.commit({
      before: null,
      events: eventsOf(index, { isOpen, at: startAt + index * EVERY_MS }),
    });
  }
}

/** Adds complete messages of a typical size to a session. */
export async function fillMessages(
  location: DatabaseLocation,
  { id, count }: { readonly id: string; readonly count: number },
): Promise<void> {
  const store = await openStore(location, { clock: Date.now });
  const loaded = await store.load(id);
  if (loaded.found !== "session") throw new Error(`no session ${id}`);
  const content = { type: "text", text: messageText(0) };
  await store.commit({
    before: loaded.stored,
    events: [{ type: "output.appended", at: Date.now() }],
    messages: [{ id: `${id}-message-0`, runId: null, role: "user", content }],
  });
  await store.close();
  const raw = await openRaw(location);
  await copyMessages(raw, { engine: location.engine, id, count });
  await raw.close();
}

/** Copies the only message of the session, which is also the last entry of its log. */
async function copyMessages(
  raw: RawDatabase,
  {
    engine,
    id,
    count,
  }: { readonly engine: DatabaseLocation["engine"]; readonly id: string; readonly count: number },
): Promise<void> {
  const isSqlite = engine === "sqlite";
  const each = `from ${numbersTo(engine, count - 1)} as copy ${isSqlite ? "" : "(n)"}`;
  const insert = async (
    table: string,
    { key, own }: { readonly key: string; readonly own: Readonly<Record<string, string>> },
  ): Promise<void> => {
    const names = await columnsOf(raw, { engine, table });
    const values = names.map((name) => own[name] ?? `"${table}"."${name}"`);
    await raw.run(`insert into "${table}" (${names.map((name) => `"${name}"`).join(", ")})
      select ${values.join(", ")} ${each} join "${table}" on "${table}"."${key}" = '${id}-message-0'`);
  };
  const newId = `'${id}-message-' || copy.n`;
  await raw.run("begin");
  await insert("SessionEvent", {
    key: "messageId",
    own: { messageId: newId, seq: `"SessionEvent"."seq" + copy.n` },
  });
  const text = isSqlite ? `"content"` : `"content"::text`;
  const copiedText = `replace(${text}, 'Message 0:', 'Message ' || copy.n || ':')`;
  await insert("AgentMessage", {
    key: "id",
    own: {
      id: newId,
      seq: `"AgentMessage"."seq" + copy.n`,
      role: "case copy.n % 2 when 0 then 'user' else 'agent' end",
      content: isSqlite ? copiedText : `${copiedText}::json`,
    },
  });
  if (isSqlite) {
    await raw.run(
      `insert into "SearchDocument" ("sessionId", "messageId") select '${id}', ${newId} ${each}`,
    );
    await raw.run(`insert into "SearchIndex" (rowid, words) select "key", 'message words that say something'
      from "SearchDocument" where "sessionId" = '${id}' and "messageId" is not null and "messageId" <> '${id}-message-0'`);
  } else {
    await raw.run(`insert into "SearchDocument" ("sessionId", "messageId", "words") select '${id}', ${newId}, "words" ${each}
      join "SearchDocument" on "messageId" = '${id}-message-0'`);
  }
  await raw.run(
    `update "AgentSession" set "lastSeq" = "lastSeq" + ${count - 1} where "id" = '${id}'`,
  );
  await raw.run("commit");
}

function numbersTo(engine: DatabaseLocation["engine"], last: number): string {
  return engine === "sqlite"
    ? `(with recursive copy (n) as (select 1 union all select n + 1 from copy where n < ${last}) select n from copy)`
    : `generate_series(1, ${last})`;
}
