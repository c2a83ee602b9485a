import Fastify, { type FastifyBaseLogger } from "fastify";
import { describe, expect, it } from "vitest";
import { RawClient } from "../testing/raw-client.ts";
import { scriptedFeeds } from "../testing/scripted-feed.ts";
import { listen, testApp } from "../testing/test-app.ts";

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly requestId?: string;
  readonly [field: string]: unknown;
}

/** A real logger that writes to a list, and a function that waits for a line. */
function logInto(level = "info"): {
  readonly logger: FastifyBaseLogger;
  readonly lines: Line[];
  readonly request: () => Promise<Line>;
} {
  const lines: Line[] = [];
  let wake = (): void => {};
  const stream = {
    write: (line: string) => {
      lines.push(JSON.parse(line));
      wake();
    },
  };
  return {
    logger: Fastify({ logger: { level, stream } }).log,
    lines,
    request: async () => {
      for (;;) {
        const line = lines.find(({ msg }) => msg === "request");
        if (line !== undefined) return line;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

describe("a request in the log", () => {
  it("is one line with its ID, method, path, status and time, without its query", async () => {
    const { logger, lines, request } = logInto();
    const app = await testApp({ logger, runtime: { listSuspensions: async () => [] } });
    const reply = await app.inject("/api/suspensions?q=secret");
    const { level, msg, requestId, method, path, status, ms } = await request();
    expect({ level, msg, method, path, status }).toEqual({
      level: 30,
      msg: "request",
      method: "GET",
      path: "/api/suspensions",
      status: 200,
    });
    expect(ms).toEqual(expect.any(Number));
    expect(requestId).toBe(reply.headers["x-request-id"]);
    expect(JSON.stringify(lines)).not.toContain("secret");
  });

  it("has the client's ID if it is valid, and otherwise a new one", async () => {
    const app = await testApp();
    const idFor = async (id: string) =>
      (await app.inject({ url: "/healthz", headers: { "x-request-id": id } })).headers[
        "x-request-id"
      ];
    expect(await idFor("trace-1:2/3")).toBe("trace-1:2/3");
    for (const bad of ["", "a b", "x".repeat(129), "é", '"']) {
      expect(await idFor(bad)).toMatch(/^[0-9a-f-]{36}$/u);
    }
  });

  it("has its ID in the line of a failure, and never the token", async () => {
    const { logger, lines, request } = logInto("trace");
    const app = await testApp({
      logger,
      token: "s3cret",
      runtime: { listSuspensions: () => Promise.reject(new Error("it broke")) },
    });
    const headers = { authorization: "Bearer s3cret", "x-request-id": "trace-1" };
    expect((await app.inject({ url: "/api/suspensions", headers })).statusCode).toBe(500);
    await request();
    const failure = lines.find(({ level }) => level === 50);
    expect(failure).toMatchObject({ requestId: "trace-1", err: { message: "it broke" } });
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });

  it("is logged for refused requests and for streams when they end", async () => {
    const refused = logInto();
    const guarded = await testApp({ logger: refused.logger, token: "s3cret" });
    await guarded.inject("/api/suspensions");
    expect(await refused.request()).toMatchObject({ status: 401 });

    const streamed = logInto();
    const feeds = scriptedFeeds();
    const app = await testApp({ logger: streamed.logger, runtime: feeds.runtime });
    const client = new RawClient(await listen(app), "/api/sessions/s1/events");
    await client.until("retry");
    client.socket.destroy();
    expect(await streamed.request()).toMatchObject({
      path: "/api/sessions/s1/events",
      status: 200,
      cut: true,
    });
  });
});
