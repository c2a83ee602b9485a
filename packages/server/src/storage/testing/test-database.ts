import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { inject } from "vitest";
import { MissingHere } from "../../domain/testing/machine.ts";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import type { Store } from "../store.ts";
import type { SharedPostgres } from "./postgres-setup.ts";

export type Engine = DatabaseLocation["engine"];

export interface TestDatabase {
  readonly location: DatabaseLocation;
  remove(): Promise<void>;
}

export interface TestStore {
  readonly store: Store;
  readonly location: DatabaseLocation;
  close(): Promise<void>;
}

/** For stores whose tests are not about timeouts: a busy machine may take longer than a server waits. */
export const PATIENT = { replyTimeoutMs: 200_000 } as const;

/** A new empty database: a file in a temporary folder, or a database of the shared server. */
export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === "sqlite") return newFile();
  return newDatabase("template1");
}

/** The same with the current schema. Only the first one is migrated; the others are copies of it. */
export async function createMigratedDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === "postgres") return newDatabase(await migratedTemplate());
  const database = newFile();
  writeFileSync(database.location.file, await migratedFile());
  return database;
}

export async function openTestStore(
  engine: Engine,
  clock: () => number = Date.now,
): Promise<TestStore> {
  const database = await createMigratedDatabase(engine);
  const store = await openStore(database.location, { clock, ...PATIENT });
  return {
    store,
    location: database.location,
    close: async () => {
      await store.close();
      await database.remove();
    },
  };
}

interface FileDatabase extends TestDatabase {
  readonly location: { readonly engine: "sqlite"; readonly file: string };
}

function newFile(): FileDatabase {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  return {
    location: { engine: "sqlite", file: path.join(folder, "holdfast.db") },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

let migratedBytes: Promise<Buffer> | null = null;

/** One complete file, because the migration has closed it. */
function migratedFile(): Promise<Buffer> {
  migratedBytes ??= (async () => {
    const { location, remove } = newFile();
    try {
      await (await openMigrations(location)).up();
      return readFileSync(location.file);
    } finally {
      await remove();
    }
  })();
  return migratedBytes;
}

async function newDatabase(template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer((client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  return {
    location: { engine: "postgres", url: await urlOf(name) },
    remove: async () => {
      await onServer((client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

const TEMPLATE = "migrated";
let template: Promise<string> | null = null;

/** Test files run in parallel. A lock of the server lets one of them create the template. */
function migratedTemplate(): Promise<string> {
  template ??= onServer(async (client) => {
    await client.query("select pg_advisory_lock(1)");
    const found = await client.query("select from pg_database where datname = $1", [TEMPLATE]);
    if (found.rowCount === 0) await makeTemplate(client);
    return TEMPLATE;
  });
  return template;
}

/** Has another name until it is complete. */
async function makeTemplate(client: Client): Promise<void> {
  const draft = `draft_${randomUUID().replaceAll("-", "")}`;
  await client.query(`create database ${draft}`);
  await (await openMigrations({ engine: "postgres", url: await urlOf(draft) })).up();
  await client.query(`alter database ${draft} rename to ${TEMPLATE}`);
}

async function urlOf(name: string): Promise<string> {
  const url = new URL(await serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

let shared: Promise<SharedPostgres> | null = null;

async function serverUrl(): Promise<string> {
  const desk = inject("postgresDesk");
  if (desk === "") {
    throw new Error(
      "A unit test needs PostgreSQL: name its file *.store.test.ts or *.process.test.ts.",
    );
  }
  shared ??= fetch(desk).then((answer) => answer.json() as Promise<SharedPostgres>);
  const postgres = await shared;
  if ("missing" in postgres) throw new MissingHere(postgres.missing);
  if ("failure" in postgres) throw new Error(postgres.failure);
  return postgres.url;
}

async function onServer<Result>(use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: await serverUrl() });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
