import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { MissingHere } from "../../domain/testing/machine.ts";
import { startPostgresServer, type PostgresServer } from "./postgres-server.ts";

/** The server all tests share. Without a PostgreSQL on this machine tests that need it are skipped; when it fails, they fail. */
export type SharedPostgres =
  | { readonly url: string }
  | { readonly missing: string }
  | { readonly failure: string };

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with a `SharedPostgres`. The first request starts the server. Empty for tests that must not need it. */
    postgresDesk: string;
  }
}

let desk: Server | null = null;
let starting: Promise<PostgresServer> | null = null;

export async function setup(project: TestProject): Promise<void> {
  const opened = createServer((_, response) => {
    starting ??= startPostgresServer();
    void answerWith(starting).then((answer) => response.end(JSON.stringify(answer)));
  });
  desk = opened;
  await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve));
  const { port } = opened.address() as AddressInfo;
  project.provide("postgresDesk", `http://127.0.0.1:${port}`);
}

export async function teardown(): Promise<void> {
  desk?.closeAllConnections();
  desk?.close();
  const server = await starting?.catch(() => null);
  await server?.stop();
}

async function answerWith(started: Promise<PostgresServer>): Promise<SharedPostgres> {
  try {
    return { url: (await started).url };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return error instanceof MissingHere ? { missing: reason } : { failure: reason };
  }
}
