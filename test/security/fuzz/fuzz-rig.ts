import { problemSchema } from "@holdfast/protocol";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { createAgentTokens } from "../../../packages/server/src/http/guard/agent-token.ts";
import { buildApp } from "../../../packages/server/src/http/build-app.ts";
import { type App } from "../../../packages/server/src/http/app.ts";
import { listen } from "../../../packages/server/src/http/testing/test-app.ts";
import { openAccessTokens } from "../../../packages/server/src/runtime/tokens/access-tokens.ts";
import { startRowCheck } from "../../../packages/server/src/runtime/upkeep/row-check.ts";
import { TestRuntime } from "../../../packages/server/src/runtime/testing/test-runtime.ts";
import { openRaw } from "../../../packages/server/src/storage/testing/raw-database.ts";
import { openWire, type Answer, type Wire } from "./wire.ts";

/** Text in a file outside the served folders. It must never appear in a response. */
export const OUTSIDE = "canary-outside-of-everything-served";
const TOKEN = "the token of the fuzzed server";
/** Without a token every request would end with 401. */
export const WITH_TOKEN = { authorization: `Bearer ${TOKEN}` };
export const AGENT_TOKENS = createAgentTokens();

/** A real server on a real file, with its page, reached over real connections. */
export interface FuzzRig {
  readonly app: App;
  readonly test: TestRuntime;
  readonly port: number;
  readonly wire: Wire;
  /** Checks that the server responds, all stored rows are readable, and the file is intact. */
  expectSound(): Promise<void>;
  close(): Promise<void>;
}

export async function openFuzzRig(): Promise<FuzzRig> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-fuzz-"));
  const webFolder = path.join(folder, "web");
  mkdirSync(path.join(webFolder, "assets"), { recursive: true });
  writeFileSync(path.join(folder, "secret.txt"), OUTSIDE);
  writeFileSync(path.join(webFolder, "index.html"), "<!doctype html><title>Holdfast</title>");
  writeFileSync(path.join(webFolder, "assets", "app.js"), "0");
  const test = await TestRuntime.open({ limits: { liveAgents: 1 } });
  writeFileSync(path.join(test.folder, "secret.txt"), OUTSIDE);
  const app = await buildApp({
    runtime: test.runtime,
    version: "1.2.3",
    startedAt: new Date(),
    token: TOKEN,
    tokens: openAccessTokens({ store: test.store, clock: Date.now, newId: randomUUID }),
    agentTokens: AGENT_TOKENS,
    webFolder,
  });
  const port = await listen(app);
  const wire = openWire(port);
  return {
    app,
    test,
    port,
    wire,
    expectSound: async () => {
      expect((await wire.send({ method: "GET", path: "/healthz" })).status).toBe(200);
      const ready = await wire.send({ method: "GET", path: "/readyz", headers: WITH_TOKEN });
      expect([ready.status, JSON.parse(ready.body)]).toMatchObject([200, { setAside: 0 }]);
      const failures: unknown[] = [];
      await startRowCheck(test.store, { onFailure: (error) => failures.push(error) }).done;
      expect([failures, await test.store.listQuarantined()]).toEqual([[], []]);
      const raw = await openRaw(test.location);
      expect(await raw.all("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
      expect(await raw.all("pragma foreign_key_check")).toEqual([]);
      await raw.close();
    },
    close: async () => {
      wire.close();
      await app.close();
      await test.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const TRACE = /\n\s+at |node_modules|\.[cm]?[jt]s:\d+|SqliteError|SQLITE_|Kysely/u;

/** The error in a response, independent of the request; null if there is none. */
export function errorIn(answer: Answer): string | null {
  const { status, type, body } = answer;
  if (status >= 500) return `answered ${status}: ${body.slice(0, 300)}`;
  if (body.includes(OUTSIDE)) return "showed a file outside the served folders";
  if (status < 400) return null;
  if (TRACE.test(body)) return `showed internals: ${body.slice(0, 300)}`;
  if (!type.startsWith("application/problem+json")) return `answered ${status} as ${type}`;
  if (body === "") return null;
  const problem = problemSchema.strict().safeParse(JSON.parse(body));
  if (!problem.success) return `is not a problem document: ${body.slice(0, 300)}`;
  return problem.data.status === status
    ? null
    : `has status ${problem.data.status} in the body and ${status} in the head`;
}
