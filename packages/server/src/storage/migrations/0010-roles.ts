import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { downgraded, isSameShape, upgraded, type MessageShape } from "./message-shapes.ts";
import type { MigrationContext } from "./migration-context.ts";

/** Messages in memory at once, each as long as one may be. */
const BATCH = 50;

/**
 * Plans and tool calls get the role `system`, and texts say whether they are `partial`. A message that 0.1 stored so already, as
 * those of a portal are, is remembered as it was: else nobody could tell on the way back.
 */
export function roles({ engine, failpoint }: MigrationContext): Migration {
  const sqlite = engine === "sqlite";
  const json = sqlite ? `text not null check (json_valid("content"))` : "json not null";
  return {
    async up(db) {
      await sql
        .raw(
          `create table "FormerMessage" (
            "sessionId" text not null constraint "former_message_session"
              references "AgentSession" ("id") on delete cascade,
            "messageId" text not null,
            "role" text not null,
            "content" ${json},
            constraint "former_message_key" primary key ("sessionId", "messageId")
          )${sqlite ? " without rowid, strict" : ""}`,
        )
        .execute(db);
      await changeMessages(db, { engine, change: up });
      failpoint("migrate.roles.messages");
      await changeQueue(db, { engine, change: (row) => upgraded(row, true) });
    },
    async down(db) {
      await changeMessages(db, { engine, change: down });
      failpoint("rollback.roles.messages");
      await changeQueue(db, { engine, change: downgraded });
      await sql`drop table "FormerMessage"`.execute(db);
    },
  };
}

type Engine = MigrationContext["engine"];

interface StoredMessage extends MessageShape {
  readonly id: string;
  readonly sessionId: string;
  readonly complete: number;
  readonly formerRole: string | null;
  readonly formerContent: string | null;
}

interface Changed {
  readonly shape: MessageShape;
  /** Whether what it was must be remembered. */
  readonly remember: boolean;
}

function up(row: StoredMessage): Changed {
  const shape = upgraded(row, row.complete === 1);
  return { shape, remember: !isSameShape(downgraded(shape), row) };
}

/** What was remembered counts as long as the message is what was made of it. */
function down(row: StoredMessage): Changed {
  const { formerRole: role, formerContent: content } = row;
  const former = role === null || content === null ? null : { role, content };
  const isUnchanged = former !== null && isSameShape(upgraded(former, row.complete === 1), row);
  return { shape: isUnchanged ? former : downgraded(row), remember: false };
}

async function changeMessages(
  db: Kysely<unknown>,
  { engine, change }: { engine: Engine; change: (row: StoredMessage) => Changed },
): Promise<void> {
  let after = "";
  for (;;) {
    const { rows } =
      await sql<StoredMessage>`select "AgentMessage"."id", "AgentMessage"."sessionId", "complete",
        "AgentMessage"."role", cast("AgentMessage"."content" as text) as "content",
        "FormerMessage"."role" as "formerRole", cast("FormerMessage"."content" as text) as "formerContent"
      from "AgentMessage" left join "FormerMessage" on "FormerMessage"."sessionId" = "AgentMessage"."sessionId"
        and "FormerMessage"."messageId" = "AgentMessage"."id"
      where "AgentMessage"."id" > ${after} order by "AgentMessage"."id" limit ${sql.lit(BATCH)}`.execute(
        db,
      );
    const changes = rows.map((row) => ({ row, ...change(row) }));
    await remember(db, {
      engine,
      rows: changes.filter((each) => each.remember).map(({ row }) => row),
    });
    await store(db, {
      engine,
      table: "AgentMessage",
      key: "id",
      rows: changes
        .filter(({ row, shape }) => !isSameShape(shape, row))
        .map(({ row, shape }) => ({ id: row.id, ...shape })),
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

async function changeQueue(
  db: Kysely<unknown>,
  { engine, change }: { engine: Engine; change: (row: MessageShape) => MessageShape },
): Promise<void> {
  let after = "";
  for (;;) {
    const { rows } = await sql<{ id: string; content: string }>`select "messageId" as "id",
      cast("content" as text) as "content" from "QueuedMessage"
      where "messageId" > ${after} order by "messageId" limit ${sql.lit(BATCH)}`.execute(db);
    const changed = rows.flatMap(({ id, content }) => {
      const shape = change({ role: "user", content });
      return shape.content === content ? [] : [{ id, ...shape }];
    });
    await store(db, { engine, table: "QueuedMessage", key: "messageId", rows: changed });
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

async function remember(
  db: Kysely<unknown>,
  { engine, rows }: { engine: Engine; rows: readonly StoredMessage[] },
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(
    ({ id, sessionId, role, content }) =>
      sql`(${id}, ${sessionId}, ${role}, ${jsonValue(engine, content)})`,
  );
  await sql`insert into "FormerMessage" ("messageId", "sessionId", "role", "content")
    values ${sql.join(values)}`.execute(db);
}

async function store(
  db: Kysely<unknown>,
  {
    engine,
    table,
    key,
    rows,
  }: {
    engine: Engine;
    table: "AgentMessage" | "QueuedMessage";
    key: string;
    rows: readonly (MessageShape & { readonly id: string })[];
  },
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(
    ({ id, role, content }) => sql`(${id}, ${role}, ${jsonValue(engine, content)})`,
  );
  const role = table === "AgentMessage" ? sql`"role" = "changed"."column2", ` : sql``;
  await sql`update ${sql.table(table)} set ${role}"content" = "changed"."column3"
    from (values ${sql.join(values)}) as "changed"
    where ${sql.table(table)}.${sql.ref(key)} = "changed"."column1"`.execute(db);
}

function jsonValue(engine: Engine, text: string) {
  return engine === "sqlite" ? sql`${text}` : sql`cast(${text} as json)`;
}
