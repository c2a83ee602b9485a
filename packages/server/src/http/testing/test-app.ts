import { onTestFinished } from "vitest";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { buildApp } from "../build-app.ts";
import { type App, type AppServices } from "../app.ts";
import { runtimeWith } from "./runtime-stub.ts";

/** An app for one test, on a runtime of which the test says what it needs. */
export async function testApp({
  runtime = {},
  ...services
}: Partial<Omit<AppServices, "runtime">> & {
  readonly runtime?: Partial<Runtime>;
} = {}): Promise<App> {
  const app = await buildApp({
    version: "1.2.3",
    startedAt: new Date("2026-01-02T03:04:05.678Z"),
    token: null,
    tokens: NO_TOKENS,
    webFolder: null,
    runtime: runtimeWith(runtime),
    ...services,
  });
  onTestFinished(() => app.close());
  return app;
}

function notExpected(): never {
  throw new Error("the test did not expect to be asked for tokens");
}

const NO_TOKENS: AccessTokens = {
  areInUse: async () => false,
  find: async () => null,
  isGood: async () => false,
  create: notExpected,
  list: notExpected,
  revoke: notExpected,
};

/** The port it listens on. */
export async function listen(app: App): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  const address = app.server.address();
  if (typeof address !== "object" || address === null) throw new Error("it does not listen");
  return address.port;
}
