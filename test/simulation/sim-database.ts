import { sql } from "kysely";
import type { Dialect } from "../../packages/server/src/storage/dialect.ts";
import {
  migrateUp,
  requireCurrentSchema,
  type CurrentSchema,
} from "../../packages/server/src/storage/migrations/migrate.ts";
import { portableStore } from "../../packages/server/src/storage/portable-store.ts";
import type { Hint } from "../../packages/server/src/storage/ports/node-store.ts";
import {
  openSqliteConnection,
  type SqliteConnection,
} from "../../packages/server/src/storage/sqlite/connection.ts";
import { faultFromSqlite } from "../../packages/server/src/storage/sqlite/faults.ts";
import { SQLITE } from "../../packages/server/src/storage/sqlite/sqlite-dialect.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import { ReadMemory } from "./read-memory.ts";
import { hintsOf } from "../../packages/server/src/storage/writes/hints-of.ts";
import {
  callWrite,
  type WriteArgs,
  type WriteName,
  type WriteResult,
} from "../../packages/server/src/storage/writes/writes.ts";

/** The statements of the store on SQLite, with the virtual clock as the clock of the database. */
const DIALECT: Dialect = { ...SQLITE, clock: "sim_now()", now: sql`sim_now()` };

export interface SimDatabaseView {
  /** Shared by several nodes, as PostgreSQL is; else the database of one node. */
  readonly isShared: boolean;
  readonly clock: () => number;
  /** What the other nodes are told after a write. */
  readonly onHint: (hint: Hint) => void;
}

/**
 * The real store on a real SQLite database in memory, with one connection for reads and writes. A call takes no real time,
 * so that it can be placed anywhere in the virtual one. Nothing of a simulation stays in it.
 */
export class SimDatabase {
  readonly #connection: SqliteConnection;
  readonly #schema: CurrentSchema;
  readonly #memory = new ReadMemory();
  #clock: () => number = () => 0;

  private constructor(connection: SqliteConnection, schema: CurrentSchema) {
    this.#connection = connection;
    this.#schema = schema;
    connection.raw.function("sim_now", () => this.#clock());
  }

  static async open(): Promise<SimDatabase> {
    const connection = openSqliteConnection(":memory:", { readOnly: false });
    const context = { engine: "sqlite", failpoint: () => {} } as const;
    await migrateUp(connection, context);
    const schema = await requireCurrentSchema(connection, context);
    return new SimDatabase(connection, { ...schema, migratedAt: 0 });
  }

  /** Begins with an empty database. */
  begin(clock: () => number): void {
    this.#clock = clock;
    this.#memory.forget();
    this.#connection.raw.exec("begin");
  }

  end(): void {
    this.#connection.raw.exec("rollback");
  }

  view({ isShared, clock, onHint }: SimDatabaseView): Store {
    const { raw, db, run } = this.#connection;
    const memory = this.#memory;
    const store = portableStore({
      at: { db, dialect: DIALECT, run },
      isShared,
      isServer: false,
      write: async <Name extends WriteName>(
        name: Name,
        args: WriteArgs<Name>,
      ): Promise<WriteResult<Name>> => {
        raw.exec("savepoint one");
        try {
          const result = await callWrite({ db, dialect: DIALECT, run }, name, args);
          raw.exec("release one");
          for (const hint of hintsOf({ name, args, result })) onHint(hint);
          return result;
        } catch (error) {
          raw.exec("rollback to one; release one");
          throw faultFromSqlite(error);
        } finally {
          if (name !== "renewLease" && name !== "dropLease") memory.forget();
        }
      },
      schema: this.#schema,
      options: { clock },
      translate: faultFromSqlite,
      onOutsideWrites: () => {},
      call: () => {},
      close: async () => {},
    });
    return memory.over(store);
  }

  /** Reads the row itself, whatever the store says. Null if there is no such session. */
  ownerOf(sessionId: string): { readonly owner: string | null; readonly epoch: number } | null {
    const text = `select "owner", "epoch" from "AgentSession" where "id" = ?`;
    const [row] = this.#connection.run(text, [sessionId]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
    return (row as { owner: string | null; epoch: number } | undefined) ?? null;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
