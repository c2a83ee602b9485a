import { connect, type Socket } from "node:net";
import { BEARER } from "../../packages/server/src/http/testing/server-token.ts";

export interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

export type Headers = Readonly<Record<string, string>>;

/** A keep-alive connection with one request at a time and minimal work, so that the benchmark measures the server. */
export interface Connection {
  request(method: string, path: string, body?: unknown, headers?: Headers): Promise<Reply>;
  close(): void;
}

/** Opened again for a request if the server has closed it because it was idle. */
export async function openConnection(url: string): Promise<Connection> {
  let pending: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | null = null;
  let received: Buffer = Buffer.alloc(0);
  const open = async (): Promise<Socket> => {
    const opened = await dial(url);
    opened.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const reply = parseReply(received);
      if (reply === null || pending === null) return;
      received = Buffer.alloc(0);
      const { resolve } = pending;
      pending = null;
      resolve(reply);
    });
    opened.on("close", () => pending?.reject(new Error("the server closed the connection")));
    return opened;
  };
  let socket = await open();
  return {
    request: async (method, path, body, headers = {}) => {
      if (socket.destroyed) socket = await open();
      return new Promise((resolve, reject) => {
        pending = { resolve, reject };
        socket.write(head({ url, method, path, body, headers }));
      });
    },
    close: () => socket.destroy(),
  };
}

/** Sends a request and returns its JSON. A failure ends the benchmark. */
export async function requestJson<Value>(
  connection: Connection,
  {
    method = "GET",
    path,
    body,
    headers,
  }: {
    readonly method?: string;
    readonly path: string;
    readonly body?: unknown;
    readonly headers?: Headers;
  },
): Promise<Value> {
  const { status, body: bytes } = await connection.request(method, path, body, headers);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${bytes.toString()}`);
  return JSON.parse(bytes.toString());
}

export interface EventReader {
  close(): void;
}

/** Reads server-sent events as raw bytes, with the time of arrival. The frames of a chunked reply are left in. */
export async function openEvents(
  url: string,
  path: string,
  onBytes: (bytes: Buffer, at: bigint) => void,
  headers: Headers = {},
): Promise<EventReader> {
  const socket = await dial(url);
  let isOpen = false;
  await new Promise<void>((resolve, reject) => {
    let start: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      const at = process.hrtime.bigint();
      if (isOpen) return onBytes(chunk, at);
      start = Buffer.concat([start, chunk]);
      const end = start.indexOf("\r\n\r\n");
      if (end === -1) return;
      if (!start.subarray(0, 15).includes(" 200")) return reject(new Error(start.toString()));
      isOpen = true;
      resolve();
      if (start.length > end + 4) onBytes(start.subarray(end + 4), at);
    });
    socket.once("close", () => reject(new Error("the server closed the stream")));
    socket.write(head({ url, method: "GET", path, headers }));
  });
  return { close: () => socket.destroy() };
}

async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => resolve());
    socket.once("error", reject);
  });
  socket.on("error", () => {});
  return socket;
}

function head({
  url,
  method,
  path,
  body,
  headers = {},
}: {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Headers;
}): string {
  const own = Object.entries({
    host: new URL(url).host,
    authorization: BEARER.authorization,
    ...headers,
  });
  const lines = own.map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `${method} ${path} HTTP/1.1\r\n${lines.join("")}`;
  if (body === undefined) return `${start}\r\n`;
  const text = JSON.stringify(body);
  return `${start}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function parseReply(bytes: Buffer): Reply | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const headers = bytes.toString("latin1", 0, end);
  const length = Number(/^content-length: (\d+)/imu.exec(headers)?.[1] ?? 0);
  if (bytes.length < end + 4 + length) return null;
  return { status: Number(headers.slice(9, 12)), body: bytes.subarray(end + 4, end + 4 + length) };
}
