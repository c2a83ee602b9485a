import type { TestProject } from "vitest/node";
import { startPostgresServer, type PostgresServer } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the server all tests share, or why there is none: then the tests that need it fail with that. */
    postgres: { readonly url: string } | { readonly failure: string };
  }
}

let server: PostgresServer | null = null;

export async function setup(project: TestProject): Promise<void> {
  try {
    server = await startPostgresServer();
    project.provide("postgres", { url: server.url });
  } catch (error) {
    project.provide("postgres", {
      failure: error instanceof Error ? error.message : String(error),
    });
  }
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
