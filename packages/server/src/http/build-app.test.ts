import {
  PROBLEM_CODES,
  problemCodeSchema,
  readinessSchema,
  type ProblemCode,
} from "@holdfast/protocol";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { REFUSAL_CODES } from "../domain/kernel/refusal.ts";
import { calmMsOf, calmNow } from "../domain/testing/calm-clock.ts";
import { LIMITS } from "../runtime/context.ts";
import { type Readiness } from "../runtime/runtime.ts";
import { RUNTIME_REFUSAL_CODES } from "../runtime/reply.ts";
import { FAULT_CODES } from "../storage/fault.ts";
import { parseDescription } from "./docs/description.ts";
import { PROBLEM_STATUS } from "./problems/problem-status.ts";
import { READY, session, WIRE_SESSION } from "./testing/samples.ts";
import { holdTimers, listen, testApp } from "./testing/test-app.ts";

describe("the HTTP server", () => {
  it("reports that it is alive", async () => {
    const reply = await (await testApp()).inject("/healthz");
    expect([reply.statusCode, reply.json()]).toEqual([200, { status: "ok", version: "1.2.3" }]);
  });

  it("reports that it is ready, its database, and the number of quarantined rows (B5)", async () => {
    const readiness = async () => ({ ...READY, setAside: 2 });
    const reply = await (await testApp({ runtime: { readiness } })).inject("/readyz");
    const { ready: _, ...rest } = READY;
    expect(reply.statusCode).toBe(200);
    expect(readinessSchema.parse(reply.json())).toEqual({
      status: "ready",
      version: "1.2.3",
      auth: "none",
      platform: expect.stringMatching(/^Node v\d+\.\d+\.\d+, \w+ \w+$/u),
      startedAt: "2026-01-02T03:04:05.678Z",
      ...rest,
      setAside: 2,
      limits: {
        liveAgents: 5,
        streams: 5000,
        queue: 100,
        retries: 3,
        idleMs: 1_800_000,
        silentMs: 1_800_000,
        permissionMs: null,
        messageBytes: 1_048_576,
        messageParts: 100,
        metadataBytes: 65_536,
        bodyBytes: 2_097_152,
        bundleBytes: 4_294_967_296,
      },
      sandbox: {
        mode: "off",
        active: false,
        reason: "Agents run without a sandbox, with the rights of the server.",
      },
      agentHost: { mode: "inside", pid: null, agents: 0 },
    });
  });

  it("reports its limits and the current state of the sandbox", async () => {
    let active = true;
    const app = await testApp({
      runtime: { readiness: async () => READY },
      limits: { ...LIMITS, liveAgents: 2, permissionMs: 60_000 },
      sandbox: () => ({ mode: "auto", active, reason: active ? null : "bubblewrap is gone." }),
    });
    expect((await app.inject("/readyz")).json()).toMatchObject({
      limits: { liveAgents: 2, queue: 100, permissionMs: 60_000 },
      sandbox: { mode: "auto", active: true, reason: null },
    });
    active = false;
    expect((await app.inject("/readyz")).json()).toMatchObject({
      sandbox: { mode: "auto", active: false, reason: "bubblewrap is gone." },
    });
  });

  it("answers 503 with the reason while its database is unavailable", async () => {
    const readiness = async (): Promise<Readiness> => ({
      ready: false,
      reason: "The database failed: gone",
      database: { engine: "postgres", schema: null },
      sessions: null,
      setAside: null,
      damage: [],
    });
    const reply = await (await testApp({ runtime: { readiness } })).inject("/readyz");
    expect(reply.statusCode).toBe(503);
    expect(reply.json()).toMatchObject({ status: "unready", reason: "The database failed: gone" });
  });

  it("finishes requests in progress when it closes, and does not wait for idle connections", async () => {
    const received = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Readiness>();
    const app = await testApp({
      runtime: {
        readiness: () => {
          received.resolve();
          return answer.promise;
        },
      },
    });
    const port = await listen(app);
    const used = await connected(port);
    used.write(request("GET /healthz"));
    await once(used, "data");
    const unused = await connected(port);
    const half = await connected(port);
    half.write("GET /healthz HTTP/1.1\r\nhost: ");
    const working = await connected(port);
    working.write(request("GET /readyz"));
    await received.promise;
    holdTimers();
    const begun = calmNow();
    const closing = app.close();
    answer.resolve(READY);
    expect(await text(working)).toMatch(/^HTTP\/1.1 200 /u);
    await closing;
    expect(calmNow() - begun).toBeLessThan(2_500);
    for (const socket of [used, unused, half]) socket.destroy();
  });

  it("aborts a request that does not end when it closes", async () => {
    const app = await testApp();
    const slow = await connected(await listen(app));
    const started = once(app.server, "request");
    slow.write(
      request("POST /api/sessions", "content-type: application/json\r\ncontent-length: 9\r\n"),
    );
    await started;
    expect(await calmMsOf(app.close())).toBeLessThan(60_000);
  });
});

function request(line: string, headers = ""): string {
  return `${line} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`;
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

describe("the description of the API", () => {
  it("is OpenAPI 3.1, and equals docs/reference/openapi.json", async () => {
    const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const { version } = JSON.parse(manifest) as { readonly version: string };
    const reply = await (await testApp({ version })).inject("/openapi.json");
    expect(reply.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Holdfast" } });
    await expect(`${JSON.stringify(reply.json(), null, 2)}\n`).toMatchFileSnapshot(
      "../../../../docs/reference/openapi.json",
    );
  });

  it("has a name, tags, a summary and the problems of every route", async () => {
    const document = (await (await testApp()).inject("/openapi.json")).json();
    const { paths, tags } = parseDescription(document);
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations.length).toBeGreaterThan(30);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const names = tags.map(({ name }) => name);
    for (const { tags: used } of operations) expect(names).toEqual(expect.arrayContaining(used));
    for (const [path, methods] of Object.entries(paths)) {
      if (path.endsWith("z")) continue;
      for (const { responses } of Object.values(methods)) {
        for (const [status, { description, content }] of Object.entries(responses)) {
          if (Number(status) < 400) continue;
          expect(Object.keys(content ?? {})).toEqual(["application/problem+json"]);
          const codes = description.split(", ").map((code) => problemCodeSchema.parse(code));
          expect(codes.map((code) => PROBLEM_STATUS[code])).toEqual(
            codes.map(() => Number(status)),
          );
        }
        expect(Object.keys(responses)).toEqual(
          expect.arrayContaining(["400", "401", "403", "500"]),
        );
      }
    }
  });

  it("refers only to existing schemas, and has no duplicates", async () => {
    const document = (await (await testApp()).inject("/openapi.json")).json();
    const names = Object.keys(parseDescription(document).components.schemas);
    const refs = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/gu)];
    expect(
      [...new Set(refs.map(([, name]) => name))].filter((name) => !names.includes(name ?? "")),
    ).toEqual([]);
    expect(names.filter((name) => name.endsWith("Input"))).toEqual([]);
  });

  it("marks a body as optional if it may be left out", async () => {
    const document = (await (await testApp()).inject("/openapi.json")).json();
    const { paths } = parseDescription(document);
    const isRequired = (path: string) => paths[path]?.["post"]?.requestBody?.required;
    expect(isRequired("/api/sessions")).toBe(false);
    expect(isRequired("/api/sessions/{id}/cancel")).toBe(false);
    expect(isRequired("/api/sessions/{id}/messages")).toBe(true);
    expect(isRequired("/api/sessions/import")).toBe(true);
    expect(JSON.stringify(document)).not.toContain("x-optional");
  });
});

describe("the codes of problems", () => {
  it("cover every refusal of the kernel and the runtime and every fault of the store", () => {
    const needed = [...REFUSAL_CODES, ...RUNTIME_REFUSAL_CODES, ...FAULT_CODES];
    const codes = new Set<string>(PROBLEM_CODES);
    expect(needed.filter((code) => !codes.has(code))).toEqual([]);
  });

  it("are the same, with the same status, in the code, the types and docs/http-api.md", () => {
    const guide = readFileSync(new URL("../../../../docs/http-api.md", import.meta.url), "utf8");
    const rows = [...guide.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| \S/gmu)];
    const documented = rows.map(([, code = "", status]): [string, number] => [
      code,
      Number(status),
    ]);
    const sorted: readonly ProblemCode[] = PROBLEM_CODES.toSorted();
    expect(documented).toEqual(sorted.map((code) => [code, PROBLEM_STATUS[code]]));
  });
});

it("accepts the agent ID of a session in place of its ID (B1)", async () => {
  const sessionIds: string[] = [];
  const app = await testApp({
    runtime: {
      findSession: async (name) => (name === "agent-1" ? "s1" : null),
      archive: async ({ sessionId }) => {
        sessionIds.push(sessionId);
        return { ok: true, session: session() };
      },
    },
  });
  const archive = (name: string) =>
    app.inject({ method: "POST", url: `/api/sessions/${name}/archive`, payload: {} });
  expect((await archive("agent-1")).json()).toEqual(WIRE_SESSION);
  await archive("unknown");
  expect(sessionIds).toEqual(["s1", "unknown"]);
});
