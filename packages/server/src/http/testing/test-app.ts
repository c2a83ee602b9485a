import { onTestFinished, vi } from "vitest";
import type { AccessTokens } from "../../runtime/tokens/access-tokens.ts";
import type { Browsers } from "../../runtime/tokens/browsers.ts";
import { createSignInCodes } from "../guard/sign-in-codes.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { buildApp } from "../build-app.ts";
import { type App, type AppServices } from "../app.ts";
import type { EditorDoor } from "../doors/editor-door.ts";
import { runtimeWith } from "./runtime-stub.ts";

/** An app for one test, with a stub of the runtime. */
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
    browsers: NO_BROWSERS,
    signInCodes: createSignInCodes(),
    editorDoor: NO_EDITORS,
    webFolder: null,
    runtime: runtimeWith(runtime),
    ...services,
  });
  onTestFinished(() => app.close());
  return app;
}

function notExpected(): never {
  throw new Error("unexpected call of the tokens or of editors");
}

const NO_EDITORS: EditorDoor = {
  handle: notExpected,
  upgrade: notExpected,
  close: async () => {},
};

const NO_TOKENS: AccessTokens = {
  find: async () => null,
  isGood: async () => false,
  create: notExpected,
  list: notExpected,
  revoke: notExpected,
};

const NO_BROWSERS: Browsers = {
  find: async () => null,
  isGood: async () => false,
  signIn: notExpected,
  list: notExpected,
  signOut: notExpected,
};

/** Listens on a free port and returns it. */
export async function listen(app: App): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  const address = app.server.address();
  if (typeof address !== "object" || address === null)
    throw new Error("the server does not listen");
  return address.port;
}

/** From now on timers never fire in this test, so that nothing it sees is the work of a timeout. */
export function holdTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}
