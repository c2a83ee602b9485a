import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { downgraded, isSameShape, upgraded, type MessageShape } from "./message-shapes.ts";
import { eachBatch, type MigrationContext } from "./migration-context.ts";

/** Maximum number of messages in memory. One message can be large. */
const BATCH = 50;

/**
 * Gives plans and tool calls the role `system`, and texts the field `partial`. A message that had this form before, such as
 * one of a portal, is copied to `FormerMessage`. Otherwise a rollback could not restore it.
 */
export function roles({ engine, failpoint }: MigrationContext): Migration {
  const sqlite = engine === "sqlite";
  const json = sqlite ? `text not null check (json_valid("content"))` : "json not null";
  return {
    async up(db) {
      const table = `create table "FormerMessage" (
            "sessionId" text not null constraint "former_message_session"
              references "AgentSession" ("id") on delete cascade,
            "messageId" text not null,
            "role" text not null,
            "content" ${json},
            constraint "former_message_key" primary key ("sessionId", "messageId")
          )${sqlite ? " without rowid, strict" : ""}`;
      await sql.raw(table).execute(db);
      await changeMessages(db, engine, up);
      failpoint("migrate.roles.messages");
      await changeQueue(db, engine, (row) => upgraded(row, true));
    },
    async down(db) {
      await changeMessages(db, engine, down);
      failpoint("rollback.roles.messages");
      await changeQueue(db, engine, downgraded);
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

interface MessageChange {
  readonly shape: MessageShape;
  /** Whether the old form must be copied to `FormerMessage`. */
  readonly remember: boolean;
}

function up(row: StoredMessage): MessageChange {
  const shape = upgraded(row, row.complete === 1);
  return { shape, remember: !isSameShape(downgraded(shape), row) };
}

/** Restores the copied form unless the message has changed since. */
function down(row: StoredMessage): MessageChange {
  const { formerRole: role, formerContent: content } = row;
  const former = role === null || content === null ? null : { role, content };
  const isUnchanged = former !== null && isSameShape(upgraded(former, row.complete === 1), row);
  return { shape: isUnchanged ? former : downgraded(row), remember: false };
}

async function changeMessages(
  db: Kysely<unknown>,
  engine: Engine,
  change: (row: StoredMessage) => MessageChange,
): Promise<void> {
  await eachBatch(
    (after) =>
      sql<StoredMessage>`select "AgentMessage"."id", "AgentMessage"."sessionId", "complete",
        "AgentMessage"."role", cast("AgentMessage"."content" as text) as "content",
        "FormerMessage"."role" as "formerRole", cast("FormerMessage"."content" as text) as "formerContent"
      from "AgentMessage" left join "FormerMessage" on "FormerMessage"."sessionId" = "AgentMessage"."sessionId"
        and "FormerMessage"."messageId" = "AgentMessage"."id"
      where "AgentMessage"."id" > ${after} order by "AgentMessage"."id" limit ${sql.lit(BATCH)}`.execute(
        db,
      ),
    async (rows) => {
      const changes = rows.map((row) => ({ row, ...change(row) }));
      const former = changes.filter((each) => each.remember).map(({ row }) => row);
      await remember(db, engine, former);
      const changed = changes.filter(({ row, shape }) => !isSameShape(shape, row));
      const messages = changed.map(({ row, shape }) => ({ id: row.id, ...shape }));
      await store(db, engine, "AgentMessage", messages);
    },
  );
}

async function changeQueue(
  db: Kysely<unknown>,
  engine: Engine,
  change: (row: MessageShape) => MessageShape,
): Promise<void> {
  await eachBatch(
    (after) =>
      sql<{ id: string; content: string }>`select "messageId" as "id",
      cast("content" as text) as "content" from "QueuedMessage"
      where "messageId" > ${after} order by "messageId" limit ${sql.lit(BATCH)}`.execute(db),
    async (rows) => {
      const changed = rows.flatMap(({ id, content }) => {
        const shape = change({ role: "user", content });
        return shape.content === content ? [] : [{ id, ...shape }];
      });
      await store(db, engine, "QueuedMessage", changed);
    },
  );
}

async function remember(
  db: Kysely<unknown>,
  engine: Engine,
  rows: readonly StoredMessage[],
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
  engine: Engine,
  table: "AgentMessage" | "QueuedMessage",
  rows: readonly (MessageShape & { readonly id: string })[],
): Promise<void> {
  if (rows.length === 0) return;
  const key = table === "AgentMessage" ? "id" : "messageId";
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
