import Fastify from "fastify";
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { drainRefusedBodies, type DrainLimits } from "./drain-body.ts";
import { refusal } from "../testing/samples.ts";
import { listen, testApp } from "../testing/test-app.ts";

const MIB = 1024 * 1024;
const PIECE = Buffer.alloc(MIB, "x");

function open(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Writes everything before it reads anything, as a proxy may. */
async function writeFirst(socket: Socket, head: string, pieces: number): Promise<void> {
  socket.pause();
  socket.write(head);
  for (let sent = 0; sent < pieces; sent += 1) {
    if (!socket.write(PIECE)) await once(socket, "drain");
  }
}

/** The data since the last call, as soon as it contains this part or the connection has ended. */
function reader(socket: Socket): (part: string) => Promise<string> {
  let read = "";
  let look = (): void => {};
  socket.on("data", (chunk) => {
    read += String(chunk);
    look();
  });
  socket.on("close", () => look());
  socket.pause();
  return async (part) => {
    socket.resume();
    while (!read.includes(part) && !socket.destroyed)
      await new Promise<void>((resolve) => {
        look = resolve;
      });
    const all = read;
    read = "";
    return all;
  };
}

describe("P6: a body that is refused before it has arrived", () => {
  const post = (url: string, more: string) =>
    `POST ${url} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${more}\r\n`;

  it.each([
    ["too large by what it says of itself", `content-length: ${8 * MIB}\r\n`],
    ["too large, and to be closed after it", `content-length: ${8 * MIB}\r\nconnection: close\r\n`],
  ])("%s, is read to its end: the client gets 413 and no reset", async (_, headers) => {
    const port = await listen(await testApp());
    const socket = open(port);
    const errors: Error[] = [];
    socket.on("error", (error) => void errors.push(error));
    const read = reader(socket);
    await writeFirst(socket, post("/api/sessions", headers), 8);
    expect(await read("payload_too_large")).toMatch(/^HTTP\/1.1 413 /u);
    expect(errors).toEqual([]);
  });

  it("keeps the connection usable for the next request", async () => {
    const port = await listen(await testApp());
    const socket = open(port);
    const read = reader(socket);
    await writeFirst(socket, post("/api/sessions", `content-length: ${8 * MIB}\r\n`), 8);
    const refused = await read("payload_too_large");
    expect(refused).toMatch(/^HTTP\/1.1 413 /u);
    expect(refused.toLowerCase()).not.toContain("connection: close");
    socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(await read("\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /u);
  });

  it("is read to its end through Node's own client, which keeps its connection", async () => {
    const port = await listen(await testApp());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const send = async (options: object, body: readonly Buffer[]): Promise<IncomingMessage> => {
      const sending = request({ port, host: "127.0.0.1", agent, ...options });
      const answered = once(sending, "response");
      for (const piece of body) sending.write(piece);
      sending.end();
      const [response] = (await answered) as [IncomingMessage];
      return response;
    };
    const headers = { "content-type": "application/json" };
    const large = { method: "POST", path: "/api/sessions", headers };
    const refused = await send(
      large,
      Array.from({ length: 8 }, () => PIECE),
    );
    expect(refused.statusCode).toBe(413);
    expect(JSON.parse(await text(refused)).code).toBe("payload_too_large");
    const next = await send({ path: "/healthz" }, []);
    expect(next.statusCode).toBe(200);
    await text(next);
  });

  it("is read even if it is a bundle whose first line is invalid", async () => {
    const app = await testApp({
      runtime: {
        importSession: async (lines) => {
          await lines[Symbol.asyncIterator]().next();
          return refusal({ code: "bundle_invalid", message: "Line 1 is no session." });
        },
      },
    });
    const socket = open(await listen(app));
    const errors: Error[] = [];
    socket.on("error", (error) => void errors.push(error));
    const head = post("/api/sessions/import", `content-length: ${8 * MIB + 2}\r\n`).replace(
      "application/json",
      "application/jsonl",
    );
    const read = reader(socket);
    await writeFirst(socket, `${head}1\n`, 8);
    expect(await read("bundle_invalid")).toMatch(/^HTTP\/1.1 400 /u);
    expect(errors).toEqual([]);
  });

  it("is cut off after a limited number of bytes if it never ends", async () => {
    const port = await listen(await testApp());
    const socket = open(port);
    socket.on("error", () => {});
    socket.resume();
    socket.write(post("/api/sessions", "transfer-encoding: chunked\r\n"));
    const chunk = Buffer.concat([
      Buffer.from(`${MIB.toString(16)}\r\n`),
      PIECE,
      Buffer.from("\r\n"),
    ]);
    let sent = 0;
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
    });
    const drained = () =>
      new Promise<void>((resolve) => {
        socket.once("drain", resolve);
      });
    while (!socket.destroyed && sent < 1024) {
      if (!socket.write(chunk)) await Promise.race([drained(), closed]);
      sent += 1;
    }
    await closed;
    expect(sent).toBeLessThan(1024);
  });

  it.each<[string, DrainLimits]>([
    ["says nothing for long", { bytes: MIB, totalMs: 60_000, idleMs: 20 }],
    ["takes too long altogether", { bytes: MIB, totalMs: 20, idleMs: 60_000 }],
  ])("gets a reply and is cut off if its client %s", async (_, limits) => {
    const app = Fastify();
    onTestFinished(() => app.close());
    drainRefusedBodies(app, limits);
    app.post("/", async () => "taken");
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const socket = open(port);
    socket.write(post("/", `content-length: ${8 * MIB}\r\n`));
    expect(await text(socket)).toMatch(/^HTTP\/1.1 413 [\s\S]*connection: close/iu);
  });
});
