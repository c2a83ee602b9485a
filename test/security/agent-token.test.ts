import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App } from "../../packages/server/src/http/app.ts";
import { buildApp } from "../../packages/server/src/http/build-app.ts";
import { createAgentTokens } from "../../packages/server/src/http/guard/agent-token.ts";
import { createSignInCodes } from "../../packages/server/src/http/guard/sign-in-codes.ts";
import {
  ask,
  elicit,
  form,
  say,
  script,
} from "../../packages/server/src/providers/testing/script.ts";
import { ok, TestRuntime } from "../../packages/server/src/runtime/testing/test-runtime.ts";
import { openAccessTokens } from "../../packages/server/src/runtime/tokens/access-tokens.ts";
import { openBrowsers } from "../../packages/server/src/runtime/tokens/browsers.ts";
import { allRows } from "../../packages/server/src/storage/testing/all-rows.ts";
import { ROUTE_TABLE } from "./route-table.ts";

const TOKEN = "the token of the server";
const agentTokens = createAgentTokens();
const QUESTION = form("Which colour?", { colour: { type: "string" } });

let test: TestRuntime;
let app: App;
/** Sessions that wait for a permission, a form and a login, and one that is idle. */
let sessions: Readonly<Record<"permission" | "elicitation" | "login" | "idle", string>>;
let directory: string;

beforeAll(async () => {
  const auth = { methods: [{ id: "device", name: "Device code" }], accepts: "device" };
  test = await TestRuntime.open({
    agents: [{ name: "scripted" }, { name: "locked", auth }],
  });
  const tokens = openAccessTokens({ store: test.store, clock: Date.now, newId: randomUUID });
  app = await buildApp({
    runtime: test.runtime,
    version: "1.2.3",
    startedAt: new Date(),
    token: TOKEN,
    tokens,
    browsers: openBrowsers({ store: test.store, tokens, clock: Date.now, newId: randomUUID }),
    signInCodes: createSignInCodes(),
    agentTokens,
    webFolder: null,
  });
  await app.ready();
  directory = path.join(test.folder, "root", "docs");
  mkdirSync(directory);
  const create = (text: string, provider: string | null = null): Promise<string> =>
    test.createSession({ provider, message: { type: "text", text } });
  sessions = {
    permission: await create(script(ask({ id: "t1", title: "Delete everything" }))),
    elicitation: await create(script(elicit(QUESTION))),
    login: await create(script(say("Hello.")), "locked"),
    idle: await create(script(say("A word of the other session: heron."))),
  };
  const { idle, ...waiting } = sessions;
  await test.idle(idle);
  for (const [kind, id] of Object.entries(waiting))
    await test.until(id, ({ session }) => session.suspensions[0]?.kind === kind);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

/** Without what the server itself stores when an agent has ended: who owns the session, and what the agent offered. */
async function storedRows() {
  const { AgentSession = [], ProviderOffer: _, ...others } = await allRows(test.location);
  const rows = AgentSession.map(({ owner: _owner, epoch: _epoch, ...row }) => row);
  return {
    ...others,
    AgentSession: rows.toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1)),
  };
}

interface Attempt {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** What an agent would try for itself, and all other routes, with the IDs of a real session. */
async function attemptsOn(id: string): Promise<readonly Attempt[]> {
  const { session } = ok(await test.runtime.readWholeSession(id));
  const suspensionId = session.suspensions[0]?.id ?? id;
  const resume = (answer: unknown): Omit<Attempt, "name"> => ({
    method: "POST",
    url: `/api/sessions/${id}/resume`,
    body: { suspensionId, answer },
  });
  const update = (body: object): Omit<Attempt, "name"> => ({
    method: "PATCH",
    url: `/api/sessions/${id}`,
    body,
  });
  return [
    { name: "allow", ...resume("allow") },
    { name: "accept", ...resume({ action: "accept", content: { colour: "red" } }) },
    { name: "decline", ...resume({ action: "decline" }) },
    { name: "retry the login", ...resume({ action: "retry" }) },
    { name: "change the mode", ...update({ mode: "yolo" }) },
    { name: "change an option", ...update({ options: { effort: "high" } }) },
    { name: "change the policy", ...update({ metadata: { permissions: { default: "allow" } } }) },
    { name: "add an MCP server", ...update({ mcpServers: { own: { command: "/bin/true" } } }) },
    { name: "add a directory", ...update({ directories: [directory] }) },
    {
      name: "steer",
      method: "POST",
      url: `/api/sessions/${id}/messages`,
      body: { text: "x", delivery: "steer", mode: "yolo" },
    },
    {
      name: "create",
      method: "POST",
      url: "/api/sessions",
      body: { repoId: test.repoId, mcpServers: { own: { command: "/bin/true" } } },
    },
    ...Object.entries(ROUTE_TABLE).flatMap(([name, { access, body, type }]): Attempt[] => {
      const [method = "", url = ""] = name.split(" ");
      if (access === "public" || access === "agent") return [];
      const real = url.replaceAll(/:\w+/gu, (part) => (part === ":name" ? "locked" : id));
      return [{ name, method, url: real, body, ...(type !== undefined && { type }) }];
    }),
  ];
}

let requests = 0;

async function statusOf(token: string, { method, url, body, type }: Attempt): Promise<number> {
  requests += 1;
  const reply = await app.inject({
    method: method as "GET",
    url,
    // From different addresses, because the number of wrong tokens per address is limited.
    remoteAddress: `10.9.${(requests >> 8) & 255}.${requests & 255}`,
    headers: {
      host: "localhost:4664",
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": type ?? "application/json" }),
    },
    ...(body !== undefined && {
      payload: typeof body === "string" ? body : JSON.stringify(body),
    }),
  });
  return reply.statusCode;
}

describe("the token of an agent's tools", () => {
  it("answers nothing, changes nothing and reads no other session, on every route (D1, D3)", async () => {
    const before = await storedRows();
    const results: Record<string, number> = {};
    for (const [own, id] of Object.entries(sessions)) {
      const token = agentTokens.of(id);
      for (const [target, other] of Object.entries(sessions))
        for (const attempt of await attemptsOn(other))
          results[`${own} on ${target}: ${attempt.name}`] = await statusOf(token, attempt);
    }
    expect(Object.keys(results).length).toBeGreaterThan(16 * 60);
    expect(Object.entries(results).filter(([, status]) => status !== 401)).toEqual([]);
    expect(await storedRows()).toEqual(before);
  });

  it("uses the routes of tools only for its own session (D1, D3)", async () => {
    const routes = Object.entries(ROUTE_TABLE).filter(([, { access }]) => access === "agent");
    expect(routes.length).toBeGreaterThanOrEqual(7);
    const { idle, elicitation } = sessions;
    const before = await storedRows();
    for (const [name, { body }] of routes) {
      const [method = "", url = ""] = name.split(" ");
      const attempt = { name, method, url: url.replace(":id", idle), body };
      expect([name, await statusOf(agentTokens.of(elicitation), attempt)]).toEqual([name, 401]);
    }
    expect(await storedRows()).toEqual(before);
    const own = { name: "", method: "GET", url: `/api/agent/sessions/${idle}/history` };
    expect(await statusOf(agentTokens.of(idle), own)).toBe(200);
  });

  it("cannot be used as a person's, while the server's token can (D1)", async () => {
    const { elicitation } = sessions;
    const attempt = (await attemptsOn(elicitation)).find(({ name }) => name === "accept");
    if (attempt === undefined) throw new Error("unreachable: no attempt");
    expect(await statusOf(agentTokens.of(elicitation), attempt)).toBe(401);
    expect(await statusOf(TOKEN, attempt)).toBe(200);
  });
});
