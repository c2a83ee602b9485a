import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { App } from "../../../../packages/server/src/http/app.ts";
import type { Answer } from "../wire.ts";

export interface RawExchange {
  readonly replies: readonly Answer[];
  /** Bytes that are no reply. */
  readonly rest: string;
}

export interface RawWire {
  /** Sends the bytes on a connection of their own, and reads until it is closed. */
  exchange(bytes: Buffer): Promise<RawExchange>;
  /** All statuses that the server has sent since the last call, also those that no client has read. */
  statuses(): readonly number[];
}

/** Sends anything. A request that is not complete ends with the connection, once all others have their replies. */
export function openRawWire(app: App, port: number): RawWire {
  const open = new Map<ServerResponse, IncomingMessage>();
  // A stream, and a request whose body is not complete, end with their connection.
  const isPending = ([response, request]: readonly [ServerResponse, IncomingMessage]): boolean =>
    request.complete && !String(response.getHeader("content-type")).startsWith("text/event-stream");
  let sent: number[] = [];
  app.server.on("request", (request, response) => {
    open.set(response, request);
    response.once("close", () => {
      open.delete(response);
      if (response.headersSent) sent.push(response.statusCode);
    });
  });
  const exchange = async (bytes: Buffer): Promise<RawExchange> => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const parts: Buffer[] = [];
    socket.on("data", (part: Buffer) => parts.push(part));
    // The server may close while the client still writes.
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.once("end", () => socket.end());
    await new Promise<void>((resolve) => {
      socket.once("close", resolve);
      socket.write(bytes, () => resolve());
    });
    await answered(port);
    while ([...open].some(isPending)) await new Promise((resolve) => setImmediate(resolve));
    socket.end();
    await closed;
    return readReplies(Buffer.concat(parts));
  };
  return {
    exchange,
    statuses: () => {
      const before = sent;
      sent = [];
      return before;
    },
  };
}

/** The server has read what came before, once it answers a later request. */
function answered(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString()));
    socket.once("error", reject);
    socket.once("close", () =>
      text.startsWith("HTTP/1.1 200 ")
        ? resolve()
        : reject(new Error(`a good request got ${text}`)),
    );
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  });
}

/** The replies in the bytes of a connection. Interim replies (1xx) are left out. */
function readReplies(bytes: Buffer): RawExchange {
  const replies: Answer[] = [];
  let left = bytes;
  for (;;) {
    const end = left.indexOf("\r\n\r\n");
    const [line = "", ...lines] = left.toString("latin1", 0, Math.max(end, 0)).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /u.exec(line)?.[1] ?? 0);
    if (end < 0 || status === 0) return { replies, rest: left.toString("latin1", 0, 200) };
    const headers = Object.fromEntries(
      lines.map((each) => {
        const at = each.indexOf(":");
        return [each.slice(0, at).toLowerCase(), each.slice(at + 1).trim()];
      }),
    );
    left = left.subarray(end + 4);
    if (status < 200) continue;
    const length = Number(headers["content-length"] ?? 0);
    const type = headers["content-type"] ?? "";
    replies.push({ status, type, headers, body: left.toString("utf8", 0, length) });
    // Only streams have no length: they go on until the end of the connection.
    if (headers["transfer-encoding"] !== undefined) return { replies, rest: "" };
    left = left.subarray(length);
  }
}
