import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { pipeline, type Duplex } from "node:stream";
import { errorText } from "../../domain/error-text.ts";
import { createLookup, dial, Refusal, routeTo, type DialOptions } from "./dial.ts";
import { normalHost, parseTarget, type Target } from "./network-policy.ts";
import { http, https } from "./node-http.ts";
import { credentialsOf } from "./upstream-proxy.ts";

/** The ways out of an agent's network. Each listens on a socket of its own, which the agent's relay connects to. */
export interface Egress {
  /** An HTTP proxy. A request that names no host goes to the API, if it is below one of these addresses. */
  readonly proxy: Server;
  /** Leads to one service of this machine. */
  readonly local: (target: Target) => Server;
}

export interface EgressOptions extends Omit<DialOptions, "addressesOf"> {
  /** The addresses of our own API that the agent's tools may call, and everything below them. */
  readonly apis: readonly URL[];
  /** The password of the proxy, where others can reach it, too. The API has its own. */
  readonly password?: string;
}

/** Says that the proxy needs a password. */
class PasswordMissing extends Error {}

type Parts = EgressOptions & DialOptions;

/** Connections of one agent at the same time. */
const MAX_CONNECTIONS = 512;

export function createEgress(egress: EgressOptions): Egress {
  const options: Parts = { ...egress, addressesOf: createLookup() };
  // A long upload is no reason to end a request.
  const proxy = http().createServer(
    { requireHostHeader: false, requestTimeout: 0 },
    (request, response) => {
      void answer(request, response, options);
    },
  );
  proxy.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void tunnel(request, socket, head, options);
  });
  proxy.maxConnections = MAX_CONNECTIONS;
  return {
    proxy,
    local: (target) => {
      const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
        socket.on("error", () => {});
        connectTo(target, options).then(
          (remote) => join(socket, remote),
          () => socket.destroy(),
        );
      });
      server.maxConnections = MAX_CONNECTIONS;
      return server;
    },
  };
}

async function connectTo(target: Target, options: DialOptions): Promise<Socket> {
  return dial(target, await routeTo(target, "https", options));
}

async function tunnel(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: Parts,
): Promise<void> {
  socket.on("error", () => {});
  try {
    checkPassword(request, options);
    const target = parseTarget(request.url ?? "");
    if (target === null) throw new Refusal("CONNECT needs a host and a port.");
    const remote = await connectTo(target, options);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) remote.write(head);
    join(socket, remote);
  } catch (error) {
    const { status, text } = problemOf(error);
    socket.end(
      `HTTP/1.1 ${status}\r\n${CHALLENGE}: Basic\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
    );
  }
}

function checkPassword({ headers }: IncomingMessage, { password }: EgressOptions): void {
  if (password === undefined) return;
  const given = /^Basic (.+)$/iu.exec(headers["proxy-authorization"] ?? "")?.[1] ?? "";
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = Buffer.from(`agent:${password}`).toString("base64");
  if (!timingSafeEqual(hash(given), hash(expected))) throw new PasswordMissing();
}

/** Each side learns when the other has nothing more to say, and ends when the other fails. */
function join(one: Duplex, other: Socket): void {
  pipeline(one, other, one, () => {
    one.destroy();
    other.destroy();
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: Parts,
): Promise<void> {
  response.on("error", () => {});
  try {
    const { url: address = "" } = request;
    const isForApi = address.startsWith("/");
    const url = URL.parse(isForApi ? `http://api${address}` : address);
    if (url === null || url.protocol !== "http:")
      throw new Refusal("This is a proxy for HTTP, and for CONNECT to anything else.");
    if (isForApi) {
      const api = options.apis.find((each) => isBelow(url.pathname, each.pathname));
      if (api === undefined) throw new Refusal("There is nothing here for agents.");
      forward(request, response, { to: api, path: `${url.pathname}${url.search}`, host: api.host });
      return;
    }
    checkPassword(request, options);
    const target = { host: normalHost(url.hostname), port: Number(url.port || 80) };
    const route = await routeTo(target, "http", options);
    const { host } = url;
    if (route.through === null) {
      const socket = await dial(target, route);
      forward(request, response, { to: url, path: `${url.pathname}${url.search}`, host, socket });
    } else forward(request, response, { to: route.through, path: url.href, host });
  } catch (error) {
    const { status, text } = problemOf(error);
    const [code] = status.split(" ");
    response.writeHead(Number(code), {
      "content-type": "text/plain",
      connection: "close",
      [CHALLENGE]: "Basic",
    });
    response.end(text);
  }
}

const CHALLENGE = "proxy-authenticate";

/** The parser of URLs has already resolved `..`, also if it was encoded. */
function isBelow(pathname: string, folder: string): boolean {
  return pathname.startsWith(`${folder}/`) && !/%2f|%5c|\\/iu.test(pathname);
}

interface Forwarding {
  /** The server that gets the request. */
  readonly to: URL;
  readonly path: string;
  /** The server that the request is for. */
  readonly host: string;
  /** Absent: a new connection. */
  readonly socket?: Socket;
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { to, path, host, socket }: Forwarding,
): void {
  const { request: send } = to.protocol === "https:" ? https() : http();
  const outgoing = send({
    host: normalHost(to.hostname),
    port: to.port === "" ? undefined : to.port,
    method: request.method,
    path,
    headers: { ...withoutHops(request), ...(path.startsWith("/") ? {} : credentialsOf(to)), host },
    ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
  });
  outgoing.once("response", (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, withoutHops(incoming));
    pipeline(incoming, response, () => {});
  });
  outgoing.once("error", (error) => {
    if (response.headersSent) response.destroy();
    else {
      response.writeHead(502, { "content-type": "text/plain", connection: "close" });
      response.end(`Holdfast: ${host} does not answer: ${errorText(error)}\n`);
    }
  });
  response.once("close", () => outgoing.destroy());
  pipeline(request, outgoing, () => {});
}

/** Headers that are about the connection, not about the message. */
const HOPS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function withoutHops({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? "").toLowerCase().split(/\s*,\s*/u));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOPS.has(name) && !named.has(name)),
  );
}

function problemOf(error: unknown): { readonly status: string; readonly text: string } {
  if (error instanceof PasswordMissing)
    return {
      status: "407 Proxy Authentication Required",
      text: "Holdfast: This is not your proxy.\n",
    };
  return error instanceof Refusal
    ? { status: "403 Forbidden", text: `Holdfast: ${error.message}\n` }
    : { status: "502 Bad Gateway", text: `Holdfast: ${errorText(error)}\n` };
}
