import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "./index.ts";
import { AT, SESSION } from "./testing/session-model.ts";
import { bodyOf, openTestServer, sendProblem, type Answer } from "./testing/test-server.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(answer: Answer): Promise<{ url: string; client: Client }> {
  const { url, close } = await openTestServer(answer);
  closing.push(close);
  return { url, client: createClient({ url }) };
}

describe("the client", () => {
  it("returns metrics unchanged", async () => {
    const { client } = await serve((_, response) => response.end("holdfast_up 1\n"));
    expect(await client.metrics()).toBe("holdfast_up 1\n");
  });

  it("D1 reads the output of a tool call, its source and what is left out of it", async () => {
    const { client } = await serve(({ url }, response) =>
      response
        .writeHead(200, { "x-holdfast-output": "file", "x-holdfast-omitted-bytes": "7" })
        .end(`${url} é`),
    );
    expect(await client.sessions.output("s", "m")).toEqual({
      source: "file",
      omittedBytes: 7,
      text: "/api/sessions/s/messages/m/output é",
    });
  });

  it("yields a bundle line by line as it arrives, and disconnects when its reader stops", async () => {
    const hungUp = Promise.withResolvers<void>();
    let goOn: () => void = () => {};
    const { client } = await serve((_, response) => {
      response.once("close", hungUp.resolve);
      response.write('{"a":1}\n{"b":');
      goOn = () => void response.write('"é"}\n');
    });
    const lines = client.sessions.export("s");
    expect(await lines.next()).toEqual({ done: false, value: '{"a":1}' });
    goOn();
    expect(await lines.next()).toEqual({ done: false, value: '{"b":"é"}' });
    await lines.return();
    await hungUp.promise;
  });

  it("uploads a bundle unchanged, from memory, from a file, or line by line", async () => {
    const imported: unknown[] = [];
    const { client } = await serve(async (request, response) => {
      imported.push([request.headers["content-type"], await bodyOf(request)]);
      response.writeHead(201).end(JSON.stringify(SESSION));
    });
    const bundle = '{"a":1}\n{"b":"é"}\n';
    async function* lines(): AsyncGenerator<string> {
      yield '{"a":1}';
      yield '{"b":"é"}';
    }
    for (const form of [bundle, new Blob([bundle]), lines()])
      expect(await client.sessions.import(form)).toEqual(SESSION);
    expect(imported).toEqual([
      ["application/jsonl", bundle],
      ["application/jsonl", bundle],
      ["application/jsonl", bundle],
    ]);
  });

  it("reads no more lines to import once the server has refused (P6)", async () => {
    const ended = Promise.withResolvers<void>();
    const { client } = await serve((_, response) =>
      sendProblem(response, { status: 409, code: "session_exists" }),
    );
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield "x".repeat(100_000);
      } finally {
        ended.resolve();
      }
    }
    await expect(client.sessions.import(endless())).rejects.toMatchObject({
      code: "session_exists",
    });
    await ended.promise;
  });

  it("does not complete an upload whose source failed", async () => {
    const arrived = Promise.withResolvers<void>();
    const cut = Promise.withResolvers<boolean>();
    const { client } = await serve((request) => {
      request.on("error", () => {}).on("data", () => arrived.resolve());
      request.on("close", () => cut.resolve(request.complete));
    });
    async function* broken(): AsyncGenerator<string> {
      yield "{}";
      await arrived.promise;
      throw new Error("the other server is gone");
    }
    await expect(client.sessions.import(broken())).rejects.toThrow("the other server is gone");
    expect(await cut.promise).toBe(false);
  });

  it("sends token, idempotency key and version", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const { url } = await serve((request, response) => {
      seen.push(request.headers);
      response.end(JSON.stringify(SESSION));
    });
    const { sessions } = createClient({ url, token: "s3cret" });
    await sessions.update("s", {}, { ifMatch: 7, idempotencyKey: "k-1" });
    expect(seen).toMatchObject([
      { authorization: "Bearer s3cret", "if-match": '"7"', "idempotency-key": "k-1" },
    ]);
  });

  it("finds a server below a path", async () => {
    const { url } = await serve((request, response) =>
      response.end(JSON.stringify({ status: "ok", version: String(request.url) })),
    );
    for (const base of [`${url}/holdfast`, `${url}/holdfast/`])
      expect(await createClient({ url: base }).health()).toEqual({
        status: "ok",
        version: "/holdfast/healthz",
      });
  });

  it("follows a session from its first state through its changes", async () => {
    const { client } = await serve((request, response) => {
      const whole = { ...SESSION, repo: null, messages: [], lastEventId: "3" };
      if (request.url === "/api/sessions/s") return void response.end(JSON.stringify(whole));
      const title = `after ${String(request.headers["last-event-id"])}`;
      const renamed = JSON.stringify({ ...SESSION, title });
      return void response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write(
          `id: 4\nevent: session\ndata: ${renamed}\n\nevent: session\ndata: {"id":"s","deleted":true}\n\n`,
        );
    });
    const titles: (string | null)[] = [];
    for await (const { session } of client.sessions.follow("s")) titles.push(session.title);
    expect(titles).toEqual([null, "after 3"]);
  });

  it("yields nothing when its signal aborts before it starts", async () => {
    const { client } = await serve(() => {});
    const stop = new AbortController();
    const followed = client.sessions.follow("s", { signal: stop.signal }).next();
    stop.abort();
    expect(await followed).toEqual({ done: true, value: undefined });
  });
});

describe("a refusal", () => {
  it("has a code, a problem and the time to wait", async () => {
    const { client } = await serve((_, response) =>
      sendProblem(response, {
        status: 429,
        code: "agents_busy",
        headers: { "retry-after": "60" },
      }),
    );
    await expect(client.sessions.create()).rejects.toMatchObject({
      name: "HoldfastError",
      code: "agents_busy",
      status: 429,
      message: "No: agents_busy",
      detail: "No: agents_busy",
      problem: { code: "agents_busy", status: 429 },
      retryAfterMs: 60_000,
    });
  });

  it("with a code of a later version keeps its text", async () => {
    const { client } = await serve((_, response) =>
      sendProblem(response, { status: 409, code: "brand_new" }),
    );
    await expect(client.sessions.get("s")).rejects.toMatchObject({
      code: "unexpected_reply",
      status: 409,
      detail: "No: brand_new",
      problem: null,
    });
  });

  it("of readiness is a reply, not an error", async () => {
    const reply = {
      status: "unready",
      reason: "The database is away.",
      version: "1",
      platform: "Node v24.0.0, linux x64",
      startedAt: AT,
      database: { engine: "sqlite", schema: null },
      sessions: null,
      setAside: null,
      damage: [],
      limits: {
        liveAgents: 5,
        streams: 5000,
        queue: 100,
        retries: 3,
        idleMs: 1,
        silentMs: 2,
        permissionMs: null,
        messageBytes: 3,
        messageParts: 4,
        metadataBytes: 5,
        bodyBytes: 6,
        bundleBytes: 7,
      },
      auth: "token",
      sandbox: { mode: "auto", active: false, reason: "There is none." },
      agentHost: { mode: "outside", pid: 7, agents: 1 },
    };
    const { client } = await serve((_, response) =>
      response.writeHead(503).end(JSON.stringify(reply)),
    );
    expect(await client.readiness()).toEqual(reply);
  });
});

describe("a broken connection", () => {
  it("differs from a refusal and has its cause", async () => {
    const { url, close } = await openTestServer(() => {});
    await close();
    await expect(createClient({ url }).health()).rejects.toMatchObject({
      name: "ConnectionError",
      code: "connection_failed",
      message: expect.stringMatching(/GET .*\/healthz: no answer \(.*ECONNREFUSED.*\)/u),
      cause: expect.any(TypeError),
    });
  });

  it("in the middle of a reply or a bundle is an error", async () => {
    const { client } = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"line":1}\n', () => response.destroy());
    });
    await expect(client.health()).rejects.toMatchObject({ code: "connection_failed" });
    const lines = client.sessions.export("s");
    const readToTheEnd = async (): Promise<void> => {
      while ((await lines.next()).done !== true);
    };
    await expect(readToTheEnd()).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("after an abort throws the reason of the signal", async () => {
    const { client } = await serve(() => {});
    await expect(client.health({ signal: AbortSignal.timeout(10) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });
});

describe("what cannot be asked", () => {
  it("is rejected at once: an invalid ID, address, token or position", async () => {
    const { client, url } = await serve((_, response) => response.destroy());
    for (const id of ["", ".", "..", "a b"])
      await expect(client.sessions.delete(id)).rejects.toThrow("Not an id");
    expect(() => client.sessions.events("s", { after: "soon" })).toThrow("Not the id of an event");
    expect(() => createClient({ url: "file:///tmp" })).toThrow("Not the address of a server");
    await expect(createClient({ url, token: "a\nb" }).health()).rejects.toThrow(TypeError);
  });
});
