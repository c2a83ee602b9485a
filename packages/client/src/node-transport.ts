import { isObject } from "./helpers.ts";
import type { SentRequest, ServerReply } from "./transport.ts";

/** The parts of `node:http` that are used here. The client has no types of Node, because it also runs in browsers. */
interface NodeHttp {
  request(options: object, onResponse: (response: NodeResponse) => void): NodeRequest;
}

interface NodeRequest {
  on(event: "error", listener: (error: Error) => void): void;
  write(chunk: string | Uint8Array): boolean;
  once(event: "drain" | "close", listener: () => void): void;
  end(): void;
  destroy(error?: Error): void;
}

interface NodeResponse extends AsyncIterable<string> {
  readonly statusCode: number;
  readonly rawHeaders: readonly string[];
  setEncoding(encoding: "utf8"): void;
  destroy(error: Error): void;
}

interface NodeStream {
  readonly Readable: { toWeb(response: NodeResponse): ReadableStream<Uint8Array<ArrayBuffer>> };
}

export interface NodeReply extends ServerReply {
  readonly headerPairs: readonly (readonly [string, string])[];
}

/** Statuses whose responses have no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/**
 * Sends requests with `node:http`, over a Unix socket or to the host of their address. Only in Node. A short command needs
 * most of its time to load `fetch`. There are no redirects, no proxies and no TLS.
 */
export function createNodeTransport({ socketPath }: { readonly socketPath?: string } = {}) {
  const http = builtin<NodeHttp>("node:http");
  return (address: URL, { body, signal, method, headers }: SentRequest): Promise<NodeReply> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(reasonOf(signal));
      const { hostname, port, host, pathname, search } = address;
      // Without an agent, because the default one may use a proxy of the environment.
      const remote = { hostname: unbracketed(hostname), port, agent: false };
      const place = socketPath === undefined ? remote : { socketPath };
      const path = `${pathname}${search}`;
      let received: NodeResponse | null = null;
      const options = { ...place, path, method, headers: { ...headers, host } };
      const request = http.request(options, (response) => {
        received = response;
        resolve(replyOf(response, address));
      });
      const abort = (): void => {
        if (signal === null) return;
        // A reader of the body gets the reason, as it does from other implementations of fetch.
        received?.destroy(reasonOf(signal));
        request.destroy(reasonOf(signal));
      };
      signal?.addEventListener("abort", abort, { once: true });
      request.once("close", () => signal?.removeEventListener("abort", abort));
      request.on("error", (error) => reject(signal?.aborted === true ? reasonOf(signal) : error));
      send(request, body).catch((error: unknown) => {
        request.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
}

function replyOf(response: NodeResponse, address: URL): NodeReply {
  const { statusCode: status, rawHeaders } = response;
  const headerPairs = pairsOf(rawHeaders);
  return {
    status,
    ok: status >= 200 && status < 300,
    url: address.href,
    headers: {
      get: (name) => {
        const values = headerPairs.filter(([each]) => each.toLowerCase() === name.toLowerCase());
        return values.length === 0 ? null : values.map(([, value]) => value).join(", ");
      },
    },
    headerPairs,
    get body() {
      const { Readable } = builtin<NodeStream>("node:stream");
      return WITHOUT_BODY.includes(status) ? null : Readable.toWeb(response);
    },
    text: async () => {
      response.setEncoding("utf8");
      let text = "";
      for await (const chunk of response) text += chunk;
      return text;
    },
  };
}

async function send(request: NodeRequest, body: BodyInit | null): Promise<void> {
  if (typeof body === "string") request.write(body);
  else if (body !== null && body instanceof ReadableStream) {
    for await (const chunk of body) {
      if (request.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        request.once("drain", resolve);
        request.once("close", resolve);
      });
    }
  } else if (body !== null) throw new TypeError("unreachable: the client sends text and streams");
  request.end();
}

function pairsOf(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );
}

/** An IPv6 address has brackets only in a URL. */
function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/u, "$1");
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException("Aborted", "AbortError");
}

/** Not an import: a bundle for browsers must not contain modules of Node. */
function builtin<Module>(name: string): Module {
  const process: unknown = Reflect.get(globalThis, "process");
  const get: unknown = isObject(process) ? process["getBuiltinModule"] : undefined;
  if (typeof get !== "function") throw new TypeError("socketPath needs Node 22.3 or newer.");
  const module: Module = get(name);
  return module;
}
