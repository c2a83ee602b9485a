import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { inject } from "vitest";
import { MissingHere } from "../../domain/testing/machine.ts";
import { openMigrations, openStore, type DatabaseLocation } from "../open-store.ts";
import type { Store } from "../store.ts";

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

/** An empty database of its own: a file in a temporary folder, or a database of the shared server. */
export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === "sqlite") {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
    return {
      location: { engine, file: path.join(folder, "holdfast.db") },
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer(`create database ${name}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return {
    location: { engine, url: url.href },
    remove: () => onServer(`drop database ${name} with (force)`),
  };
}

export async function openTestStore(
  engine: Engine,
  clock: () => number = Date.now,
): Promise<TestStore> {
  const database = await createTestDatabase(engine);
  await (await openMigrations(database.location)).up();
  const store = await openStore(database.location, { clock });
  return {
    store,
    location: database.location,
    close: async () => {
      await store.close();
      await database.remove();
    },
  };
}

function serverUrl(): string {
  const postgres = inject("postgres");
  if ("missing" in postgres) throw new MissingHere(postgres.missing);
  if ("failure" in postgres) throw new Error(postgres.failure);
  return postgres.url;
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
