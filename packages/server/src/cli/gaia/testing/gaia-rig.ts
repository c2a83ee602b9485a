import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Session } from "@holdfast/protocol";
import { toWireSession } from "../../../http/wire/to-wire.ts";
import type { Store } from "../../../storage/store.ts";
import {
  openTestStore,
  type Engine,
  type TestStore,
} from "../../../storage/testing/test-database.ts";
import { exportStates, type StatesExport, type StatesExported } from "../export-states.ts";
import { importStates, type StatesImport, type StatesImported } from "../import-states.ts";

export const NOW = Date.UTC(2026, 5, 1, 12);

/** A folder of sessions, another to export to, and a database. */
export class GaiaRig {
  readonly folder: string;
  readonly exported: string;
  readonly #root: string;
  readonly #database: TestStore;

  static async open(engine: Engine = "sqlite"): Promise<GaiaRig> {
    return new GaiaRig(await openTestStore(engine));
  }

  private constructor(database: TestStore) {
    this.#database = database;
    this.#root = mkdtempSync(path.join(tmpdir(), "holdfast-gaia-"));
    this.folder = path.join(this.#root, "session");
    this.exported = path.join(this.#root, "exported");
    mkdirSync(this.folder);
  }

  get store(): Store {
    return this.#database.store;
  }

  get location(): TestStore["location"] {
    return this.#database.location;
  }

  /** Returns the file. */
  write(name: string, state: unknown): string {
    const folder = path.join(this.folder, name);
    const file = path.join(folder, "state.json");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, typeof state === "string" ? state : JSON.stringify(state, null, 2));
    return file;
  }

  import(more: Partial<StatesImport> = {}): Promise<StatesImported> {
    const { folder } = this;
    return importStates(this.store, { folder, clock: () => NOW, newId: randomUUID, ...more });
  }

  export(more: Partial<StatesExport> = {}): Promise<StatesExported> {
    return exportStates(this.sessions(), { folder: this.exported, ...more });
  }

  /** The states in a folder, by the name of the session's folder. */
  read(folder: string = this.exported): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      readdirSync(folder).map((name) => [
        name,
        JSON.parse(readFileSync(path.join(folder, name, "state.json"), "utf8")),
      ]),
    );
  }

  async *sessions(): AsyncGenerator<Session> {
    const page = await this.store.listSessions({ limit: 10_000 });
    for (const session of page.sessions) yield toWireSession(session);
  }

  async session(name: string): Promise<Session> {
    for await (const session of this.sessions())
      if (session.agentId === name || session.id === name) return session;
    throw new Error(`there is no ${name}`);
  }

  async close(): Promise<void> {
    await this.#database.close();
    rmSync(this.#root, { recursive: true, force: true });
  }
}

export const ALL_SAME = { imported: 0, updated: 0, unchanged: 0, kept: [], setAside: [] } as const;
