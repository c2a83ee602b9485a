import type { TestProject } from "vitest/node";
import { MissingHere } from "../../domain/testing/machine.ts";
import { startPostgresServer, type PostgresServer } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server all tests share. Without a PostgreSQL on this machine tests that need it are skipped; when it fails, they fail. */
    postgres:
      | { readonly url: string }
      | { readonly missing: string }
      | { readonly failure: string };
  }
}

let server: PostgresServer | null = null;

export async function setup(project: TestProject): Promise<void> {
  try {
    server = await startPostgresServer();
    project.provide("postgres", { url: server.url });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    project.provide(
      "postgres",
      error instanceof MissingHere ? { missing: reason } : { failure: reason },
    );
  }
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
