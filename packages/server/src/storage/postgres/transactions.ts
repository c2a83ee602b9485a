import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import type { AskServer } from "../dialect.ts";
import type { Database, Tables } from "../tables.ts";
import type { Transaction } from "../writes/transaction.ts";
import { POSTGRES } from "./postgres-dialect.ts";
import type { StatementNames } from "./statement-names.ts";

/**
 * A node that hangs inside a transaction, or whose network fails, must not keep a session locked: the database ends its
 * transaction. Set for each transaction, because a pooler shares connections.
 */
const BEGIN = "begin; set local idle_in_transaction_session_timeout = 3000";
const BEGIN_NOT_DURABLE = `${BEGIN}; set local synchronous_commit = off`;

interface PoolOptions {
  readonly pool: Pool;
  readonly names: StatementNames;
}

/** A statement on its own, in a transaction of its own. */
export function askPool({ pool, names }: PoolOptions): AskServer {
  return async (text, values) => {
    try {
      return (await pool.query<object>(names.query(text, values))).rows;
    } catch (error) {
      if (!names.areToBlame(error)) throw error;
      return (await pool.query<object>(names.query(text, values))).rows;
    }
  };
}

interface TransactionOptions extends PoolOptions {
  readonly durable: boolean;
}

/**
 * Runs `use` in a transaction. What need not wait for a reply is sent with the next statement: the begin with the first
 * reads, and writes whose rows nobody reads with the commit.
 */
export async function transact<Result>(
  options: TransactionOptions,
  use: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await tryOnce(options, use);
  } catch (error) {
    // Nothing was stored, because a statement failed.
    if (!options.names.areToBlame(error)) throw error;
    return tryOnce(options, use);
  }
}

async function tryOnce<Result>(
  { pool, names, durable }: TransactionOptions,
  use: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const connection = openQueue(client);
  let isBroken = false;
  try {
    connection.begin(durable ? BEGIN : BEGIN_NOT_DURABLE);
    const result = await use(transactionOn(connection, names));
    await connection.commit();
    return result;
  } catch (error) {
    const rolledBack = await connection.rollback(error);
    ({ isBroken } = rolledBack);
    throw rolledBack.reason;
  } finally {
    client.release(isBroken);
  }
}

type Connection = ReturnType<typeof openQueue>;

/** Statements of one transaction, sent in the order of the calls, without waiting for replies to earlier ones. */
function openQueue(client: PoolClient) {
  let failure: unknown = null;
  /** Statements that wait for the reply to the begin. */
  let held: (() => void)[] | null = null;

  const submit = (config: QueryConfig): Promise<QueryResult<object>> =>
    new Promise((resolve, reject) => {
      // A callback, because it learns at once of a statement that could not even be sent.
      client.query<object>(config, (error: Error | null, result) => {
        if (error === null) return resolve(result);
        failure ??= error;
        reject(error);
      });
    });

  const ask = (config: QueryConfig): Promise<QueryResult<object>> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        if (failure === null) submit(config).then(resolve, reject);
        else reject(failure);
      };
      // If the begin failed, a read would be harmless, but a write would be stored on its own.
      const goesAlong = held?.length === 0 && config.text.startsWith("select ");
      if (held === null || goesAlong) go();
      else held.push(go);
    });

  return {
    ask,
    /** A statement that fails fails the transaction, too. */
    send: (config: QueryConfig): void => void ask(config).catch(() => {}),
    begin: (text: string): void => {
      held = [];
      const goOn = (): void => {
        for (const go of held ?? []) go();
        held = null;
      };
      submit({ text }).then(goOn, goOn);
    },
    commit: async (): Promise<void> => {
      const { command } = await ask({ text: "commit" });
      // Replies come in the order of the statements, so all are there.
      if (failure !== null) throw failure;
      if (command !== "COMMIT")
        throw new Error("unreachable: a transaction failed without an error");
    },
    /** The first failure is the reason for all later ones. Nothing more is sent. */
    rollback: async (error: unknown): Promise<{ reason: unknown; isBroken: boolean }> => {
      const reason = (failure ??= error);
      const isBroken = await submit({ text: "rollback" }).then(
        () => false,
        () => true,
      );
      return { reason, isBroken };
    },
  };
}

function transactionOn(connection: Connection, names: StatementNames): Transaction {
  let db: Database | null = null;
  return {
    // Most transactions need only statements that are written once.
    get db() {
      return (db ??= databaseOn(connection));
    },
    dialect: POSTGRES,
    ask: async (text, values) => (await connection.ask(names.query(text, values))).rows,
    send: (text, values) => connection.send(names.query(text, values)),
  };
}

/** The query builder on the connection of a transaction. */
function databaseOn({ ask }: Connection): Database {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the drivers describe the same results differently
  const client = {
    query: (text: string, values: readonly unknown[]) => ask({ text, values: [...values] }),
    release: () => {},
  } as unknown as PostgresPoolClient;
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { options: {}, connect: async () => client, end: async () => {} },
    }),
  });
}
