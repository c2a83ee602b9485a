import { isObject } from "./helpers.ts";

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

interface NodeResponse {
  readonly statusCode: number;
  readonly rawHeaders: readonly string[];
  destroy(error: Error): void;
}

interface NodeStream {
  readonly Readable: { toWeb(response: NodeResponse): ReadableStream<Uint8Array> };
}

/** Statuses whose responses have no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** A `fetch` that sends every request over a Unix socket. Only in Node. */
export function createSocketFetch(socketPath: string): typeof fetch {
  const http = builtin<NodeHttp>("node:http");
  const { Readable } = builtin<NodeStream>("node:stream");
  return (input, init = {}) => {
    const { body, signal, method = "GET" } = init;
    const { pathname, search, host } = new URL(input instanceof Request ? input.url : input);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host };
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(reasonOf(signal));
      let received: NodeResponse | null = null;
      const options = { socketPath, path: `${pathname}${search}`, method, headers };
      const request = http.request(options, (response) => {
        received = response;
        const { statusCode: status } = response;
        const stream = WITHOUT_BODY.includes(status) ? null : Readable.toWeb(response);
        resolve(new Response(stream, { status, headers: pairsOf(response) }));
      });
      const abort = (): void => {
        if (signal === undefined || signal === null) return;
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
  };
}

async function send(request: NodeRequest, body: BodyInit | null | undefined): Promise<void> {
  if (typeof body === "string") request.write(body);
  else if (body instanceof ReadableStream) {
    for await (const chunk of body) {
      if (request.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        request.once("drain", resolve);
        request.once("close", resolve);
      });
    }
  } else if (body !== null && body !== undefined)
    throw new TypeError("unreachable: the client sends text and streams");
  request.end();
}

function pairsOf({ rawHeaders }: NodeResponse): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  return headers;
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
