import type { DatabaseLocation } from "../../open-store.ts";
import { openRaw } from "../../testing/raw-database.ts";
import { createTestDatabase, type Engine, type TestDatabase } from "../../testing/test-database.ts";
import {
  longSession,
  MESSAGES,
  REPOS,
  SESSIONS,
  type Moment,
  type PortalRecord,
  type PortalValue,
} from "./portal-contents.ts";
import { portalSchema, type PortalShape } from "./portal-schema.ts";

export interface Portal {
  readonly engine: Engine;
  readonly shape: PortalShape;
  /** `long` adds a session with this many messages. `empty` leaves the tables empty. */
  readonly contents: "odd" | "empty" | { readonly long: number };
}

/** A database of the portal. */
export async function createPortal({ engine, shape, contents }: Portal): Promise<TestDatabase> {
  const database = await createTestDatabase(engine);
  await runAll(database.location, [
    portalSchema(engine, shape),
    insert(engine, "_prisma_migrations", PRISMA_MIGRATION),
    ...rowsOf(contents, shape).map(([table, row]) => insert(engine, table, row)),
  ]);
  return database;
}

const PRISMA_MIGRATION: PortalRecord = {
  id: "6d1f3c9e-0001-4b6e-9f5e-0a4f1a2b3c4d",
  checksum: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
  finished_at: { at: Date.UTC(2025, 0, 2), form: "integer" },
  migration_name: "20250102000000_sessions",
  started_at: { at: Date.UTC(2025, 0, 2), form: "integer" },
  applied_steps_count: 1,
};

type TableRow = readonly [table: string, row: PortalRecord];

function rowsOf(contents: Portal["contents"], shape: PortalShape): readonly TableRow[] {
  if (contents === "empty") return [];
  const long = contents === "odd" ? null : longSession(contents.long);
  const sessions = [...SESSIONS, ...(long === null ? [] : [long.session])];
  const messages = [...MESSAGES, ...(long?.messages ?? [])];
  return [
    ...REPOS.map((row): TableRow => ["Repo", row]),
    ["Issue", { id: "i1", repoId: "alpha", title: "Names are odd" }],
    ...sessions.map(({ resuming, ...row }): TableRow => {
      return ["AgentSession", shape === "first" ? row : { ...row, ...resuming }];
    }),
    ...messages.map((row): TableRow => ["AgentMessage", { ...row }]),
  ];
}

async function runAll(location: DatabaseLocation, statements: readonly string[]): Promise<void> {
  const raw = await openRaw(location);
  try {
    await raw.run(`begin; ${statements.join(";\n")}; commit`);
  } finally {
    await raw.close();
  }
}

function insert(engine: Engine, table: string, row: PortalRecord): string {
  const columns = Object.keys(row).map((column) => `"${column}"`);
  const values = Object.values(row).map((value) => literal(engine, value));
  return `insert into "${table}" (${columns.join(", ")}) values (${values.join(", ")})`;
}

function literal(engine: Engine, value: PortalValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value !== "object") return String(value);
  return engine === "sqlite"
    ? sqliteTime(value)
    : `'${new Date(value.at).toISOString().slice(0, -1)}'`;
}

function sqliteTime({ at, form }: Moment): string {
  const text = new Date(at).toISOString();
  switch (form) {
    case "integer":
      return String(at);
    case "current_timestamp":
      return `'${text.slice(0, 19).replace("T", " ")}'`;
    case "iso":
      return `'${text.slice(0, -1)}+00:00'`;
    case "offset":
      return `'${new Date(at + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00'`;
    default:
      return form satisfies never;
  }
}
