import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { collect, each } from "../testing/lines.ts";
import { RawClient } from "../testing/raw-client.ts";
import { refusal, session, WIRE_SESSION } from "../testing/samples.ts";
import { listen, testApp } from "../testing/test-app.ts";

describe("a bundle over HTTP", () => {
  it("is sent as JSON Lines with a file name", async () => {
    const app = await testApp({
      runtime: { exportSession: async () => ({ ok: true, lines: each(['{"a":1}', "2"]) }) },
    });
    const reply = await app.inject('/api/sessions/a"b/export');
    expect([reply.statusCode, reply.body]).toEqual([200, '{"a":1}\n2\n']);
    expect(reply.headers).toMatchObject({
      "content-type": "application/jsonl",
      "content-disposition": 'attachment; filename="session-a_b.jsonl"',
      "x-content-type-options": "nosniff",
    });
  });

  it("is compressed on the way for a client that accepts it", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `{"line":${index}}`);
    const app = await testApp({
      runtime: { exportSession: async () => ({ ok: true, lines: each(lines) }) },
    });
    const headers = { "accept-encoding": "gzip, br, zstd" };
    const reply = await app.inject({ url: "/api/sessions/s1/export", headers });
    expect(reply.headers).toMatchObject({ "content-encoding": "zstd", vary: "accept-encoding" });
    expect(zstdDecompressSync(reply.rawPayload).toString()).toBe(`${lines.join("\n")}\n`);
    expect(reply.rawPayload.length).toBeLessThan(20_000);
  });

  it("is read no faster than the client reads it (P6)", async () => {
    let sent = 0;
    const ended = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<string> {
      try {
        for (; ; sent += 1) yield "x".repeat(100_000);
      } finally {
        ended.resolve();
      }
    }
    const app = await testApp({
      runtime: { exportSession: async () => ({ ok: true, lines: endless() }) },
    });
    const client = new RawClient(await listen(app), "/api/sessions/s1/export");
    await client.until("xxx");
    client.socket.pause();
    for (let quiet = 0; quiet < 500;) {
      const before = sent;
      await setImmediate();
      quiet = before === sent ? quiet + 1 : 0;
    }
    expect(sent).toBeLessThan(1_000);
    client.socket.destroy();
    await ended.promise;
  });

  it.each(["identity", "zstd"])(
    "is not found if the session is deleted before anything was sent, as %s",
    async (encoding) => {
      const gone = Object.assign(new Error("It was deleted."), { code: "session_not_found" });
      const lines = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(gone) }) };
      const app = await testApp({ runtime: { exportSession: async () => ({ ok: true, lines }) } });
      const headers = { "accept-encoding": encoding };
      const reply = await app.inject({ url: "/api/sessions/s1/export", headers });
      expect(reply.json()).toMatchObject({ status: 404, code: "session_not_found" });
      expect(reply.headers["content-encoding"]).toBeUndefined();
      expect(reply.headers["content-type"]).toContain("application/problem+json");
      expect(reply.headers["content-disposition"]).toBeUndefined();
    },
  );

  it("is aborted, not ended, if it cannot be read completely", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "x".repeat(100_000);
      throw new Error("the disk broke");
    }
    const app = await testApp({
      runtime: { exportSession: async () => ({ ok: true, lines: broken() }) },
    });
    const client = new RawClient(await listen(app), "/api/sessions/s1/export");
    await client.closed;
    expect(client.received).not.toMatch(/\r\n0\r\n\r\n$/u);
  });

  it.each(["application/jsonl", "application/x-ndjson"])(
    "is imported line by line, as %s",
    async (type) => {
      const imported: string[] = [];
      const app = await testApp({
        runtime: {
          importSession: async (lines) => {
            for await (const line of lines) imported.push(line);
            return { ok: true, session: session() };
          },
        },
      });
      const reply = await app.inject({
        method: "POST",
        url: "/api/sessions/import",
        headers: { "content-type": type },
        payload: `{"a":1}\n${"x".repeat(3 * 1024 * 1024)}\n`,
      });
      expect([reply.statusCode, reply.headers["location"], reply.json()]).toEqual([
        201,
        "/api/sessions/s1",
        WIRE_SESSION,
      ]);
      expect(imported.map(({ length }) => length)).toEqual([7, 3 * 1024 * 1024]);
    },
  );

  it("is refused if it is invalid, exists, is JSON, or is empty", async () => {
    const app = await testApp({
      runtime: {
        importSession: async (lines) => {
          const [first] = await collect(lines);
          return first === "1"
            ? refusal({ code: "session_exists", message: "It is there." })
            : refusal({ code: "bundle_invalid", message: "Line 1 is no session." });
        },
      },
    });
    const codeOf = async (payload: string | undefined, type = "application/jsonl") => {
      const reply = await app.inject({
        method: "POST",
        url: "/api/sessions/import",
        headers: { "content-type": type },
        ...(payload !== undefined && { payload }),
      });
      return [reply.statusCode, reply.json().code];
    };
    expect(await codeOf("nonsense")).toEqual([400, "bundle_invalid"]);
    expect(await codeOf("1")).toEqual([409, "session_exists"]);
    expect(await codeOf("{}", "application/json")).toEqual([415, "unsupported_media_type"]);
    const elsewhere = await app.inject({
      method: "POST",
      url: "/api/sessions",
      headers: { "content-type": "application/jsonl" },
      payload: "{}",
    });
    expect(elsewhere.statusCode).toBe(415);
  });

  it("is refused if its Content-Length exceeds 4 GiB (P6)", async () => {
    const app = await testApp();
    const socket = connect(await listen(app), "127.0.0.1");
    socket.write(`${HEAD}content-length: ${4 * 1024 ** 3 + 1}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /u);
  });

  it("may be larger than the memory, and is read as fast as it is stored (P6)", async () => {
    let stored = 0;
    const gate = Promise.withResolvers<void>();
    const app = await testApp({
      runtime: {
        importSession: async (lines) => {
          for await (const { length } of lines) {
            stored += length;
            if (stored > 100_000) await gate.promise;
          }
          return { ok: true, session: session() };
        },
      },
    });
    const client = connect(await listen(app), "127.0.0.1");
    const answered = text(client);
    client.write(`${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n`);
    const piece = `${"x".repeat(1023)}\n`.repeat(64);
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
    let sent = 0;
    // The server stops reading long before everything is sent.
    while (client.write(chunk) || client.writableLength < 1024 * 1024) sent += piece.length;
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    gate.resolve();
    while (sent < 64 * 1024 * 1024) {
      if (!client.write(chunk)) await once(client, "drain");
      sent += piece.length;
    }
    client.write("0\r\n\r\n");
    expect(await answered).toMatch(/^HTTP\/1.1 201 /u);
    expect(stored).toBeGreaterThan(60 * 1024 * 1024);
  });

  it("that is refused early gets its reply, even if the client continues to send", async () => {
    const app = await testApp({
      runtime: {
        importSession: async (lines) => {
          for await (const line of lines) if (line !== "") break;
          return refusal({ code: "session_exists", message: "It is there." });
        },
      },
    });
    const url = `http://127.0.0.1:${await listen(app)}/api/sessions/import`;
    const line = `${"x".repeat(100_000)}\n`;
    const body = Readable.from(Array.from({ length: 200 }, () => line));
    const reply = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/jsonl" },
      body: Readable.toWeb(body),
      duplex: "half",
    });
    expect([reply.status, await reply.json()]).toEqual([
      409,
      expect.objectContaining({ code: "session_exists" }),
    ]);
  });
});

const HEAD =
  "POST /api/sessions/import HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/jsonl\r\n";
