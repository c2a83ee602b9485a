import { BUNDLE_MEDIA_TYPE, ID_PATTERN, toEtag, type FeedEvent } from "@holdfast/protocol";
import { bundleBody, type BundleSource } from "./bundle-body.ts";
import { defined, errorText } from "./helpers.ts";
import { ConnectionError, HoldfastError, toHoldfastError } from "./holdfast-error.ts";
import type { ServerReply, Transport } from "./transport.ts";
import type { Reply, ReplyName, Validation } from "./validation.ts";

export interface ConnectionOptions {
  /** The address of the server, such as `http://127.0.0.1:4664`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Sent as `User-Agent`. Browsers ignore it. */
  readonly userAgent?: string | undefined;
  readonly fetch?: Transport | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** A request repeated with the same key gets the same reply and takes effect once. */
  readonly idempotencyKey?: string | undefined;
  /** The request fails with `version_mismatch` when the session no longer has this version. */
  readonly ifMatch?: number | undefined;
}

type Values = Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Request extends WriteOptions {
  readonly method?: Method;
  readonly path: string;
  readonly query?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged; lines are sent as they arrive. */
  readonly bundle?: BundleSource;
}

/** Sends requests to one server. */
export interface Connection {
  /** Returns the validated reply. Throws when the status is not 2xx or the reply is not valid. */
  call<Name extends ReplyName>(
    reply: Name,
    method: Method,
    path: string,
    options?: Omit<Request, "method" | "path"> & { readonly alsoStatus?: number },
  ): Promise<Reply<Name>>;
  text(request: Request): Promise<string>;
  /** Returns the response before its body is read. Throws when the status is not 2xx. */
  open(request: Request): Promise<ServerReply>;
  /** Null for an event of a newer server. Throws when the data is not valid. */
  parseEvent(name: string, data: unknown): FeedEvent | null;
}

export function createConnection(
  { url, token, userAgent, fetch: sendRequest = fetch }: ConnectionOptions,
  validation: Validation,
): Connection {
  const base = new URL(url.endsWith("/") ? url : `${url}/`);
  if (!/^https?:$/u.test(base.protocol)) throw new TypeError(`Not the address of a server: ${url}`);

  const send = async (request: Request): Promise<ServerReply> => {
    const { method = "GET", path, query, body, bundle, signal } = request;
    const address = new URL(path.slice(1), base);
    address.search = toSearch(query ?? {});
    const upload = bundle === undefined ? null : bundleBody(bundle);
    const content = upload?.content ?? (body === undefined ? null : JSON.stringify(body));
    // An invalid header is the caller's mistake, not a failed connection.
    const headers = checkedHeaders(headersOf(request, { token, userAgent, base }));
    try {
      return await sendRequest(address, {
        method,
        cache: "no-store",
        headers,
        body: content,
        signal: signal ?? null,
        ...(upload !== null && content instanceof ReadableStream && { duplex: "half" }),
      });
    } catch (error) {
      throw signal?.aborted === true ? error : lost(`${method} ${address.href}`, error);
    } finally {
      upload?.end();
    }
  };

  const open = async (request: Request): Promise<ServerReply> => {
    const response = await send(request);
    if (response.ok) return response;
    const body = parseJson(await textOf(response, request));
    throw toHoldfastError(response, body, validation);
  };

  return {
    async call(name, method, path, { alsoStatus, ...options } = {}) {
      const response = await send({ ...options, method, path });
      const body = parseJson(await textOf(response, options));
      const isExpected = response.ok || response.status === alsoStatus;
      const reply = isExpected ? validation.reply(name, body) : undefined;
      if (reply === undefined) throw toHoldfastError(response, body, validation);
      return reply;
    },
    text: async (request) => textOf(await open(request), request),
    open,
    parseEvent: validation.event,
  };
}

/** Encodes an id for a path. Throws for one that would lead to another path. */
export function segment(id: string): string {
  if (!ID_PATTERN.test(id) || id === "." || id === "..")
    throw new TypeError(`Not an id: ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

/** The text of a response in chunks, read no faster than they are consumed. */
export async function* textChunks(
  response: ServerReply,
  { signal, within = (work) => work }: CallOptions & { readonly within?: Within },
): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await within(reader.read());
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    throw signal?.aborted === true ? error : lost(response.url, error);
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** Aborts the connection when the work takes too long. */
export type Within = <Result>(work: Promise<Result>) => Promise<Result>;

async function textOf(response: ServerReply, { signal }: CallOptions): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw signal?.aborted === true ? error : lost(response.url, error);
  }
}

function lost(what: string, cause: unknown): ConnectionError | HoldfastError {
  if (cause instanceof HoldfastError || cause instanceof ConnectionError) return cause;
  return new ConnectionError(`${what}: no answer (${reasonOf(cause)})`, { cause });
}

/** Node's `fetch` gives the reason only in the cause of its error. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return errorText(reason) || (reason instanceof Error ? reason.name : "unknown reason");
}

const LOCAL: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

function headersOf(
  request: Request,
  { token, userAgent, base }: Pick<ConnectionOptions, "token" | "userAgent"> & { base: URL },
): Record<string, string> {
  const { body, bundle, headers, idempotencyKey, ifMatch } = request;
  const contentType = bundle === undefined ? "application/json" : BUNDLE_MEDIA_TYPE;
  const hasContent = body !== undefined || bundle !== undefined;
  return {
    accept: "application/json",
    ...defined({
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      "user-agent": userAgent,
      // On the same machine, compression takes more time than it saves.
      "accept-encoding": LOCAL.has(base.hostname) ? "identity" : undefined,
      "content-type": hasContent ? contentType : undefined,
      "idempotency-key": idempotencyKey,
      "if-match": ifMatch === undefined ? undefined : toEtag(ifMatch),
    }),
    ...headers,
  };
}

/** `Headers` would check them, too, but Node loads all of `fetch` for it. */
function checkedHeaders(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers))
    if (/[^\t -~\u0080-\u00FF]/u.test(value))
      throw new TypeError(`Not a value for the header ${name}`);
  return headers;
}

function toSearch(query: object): string {
  const values: Values = { ...query };
  const entries = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null
      ? []
      : [[name, typeof value === "object" ? value.join(",") : String(value)]],
  );
  return new URLSearchParams(entries).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
