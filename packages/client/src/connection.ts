import { BUNDLE_MEDIA_TYPE, idSchema, toEtag } from "@holdfast/protocol";
import { bundleBody, type BundleSource } from "./bundle-body.ts";
import { ConnectionError, HoldfastError, toHoldfastError } from "./holdfast-error.ts";

export interface ConnectionOptions {
  /** Where the server is, such as `http://127.0.0.1:4664`. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Sent again with the same key, the request gets the same answer and is not done twice. */
  readonly idempotencyKey?: string | undefined;
  /** Refused as `version_mismatch` when the session has changed since it had this version. */
  readonly ifMatch?: number | undefined;
}

type Values = Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

export interface Request extends WriteOptions {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, or as it comes. */
  readonly bundle?: BundleSource;
}

interface Schema<Reply> {
  safeParse(value: unknown): { readonly data?: Reply | undefined };
}

/** The way to one server: everything else of this package is said through it. */
export interface Connection {
  /** Sends and parses the reply; what is not 2xx, or not as the schema says, is thrown. */
  call<Reply>(
    schema: Schema<Reply>,
    request: Request & { readonly alsoStatus?: number },
  ): Promise<Reply>;
  text(request: Request): Promise<string>;
  /** The response as it comes, once it is known to be 2xx. */
  open(request: Request): Promise<Response>;
}

export function createConnection({
  url,
  token,
  fetch: send = fetch,
}: ConnectionOptions): Connection {
  const base = new URL(url.endsWith("/") ? url : `${url}/`);
  if (!/^https?:$/u.test(base.protocol)) throw new TypeError(`Not the address of a server: ${url}`);

  const ask = async (request: Request): Promise<Response> => {
    const { method = "GET", path, query, body, bundle, signal } = request;
    const address = new URL(path.slice(1), base);
    address.search = toSearch(query ?? {});
    const sent = bundle === undefined ? null : bundleBody(bundle);
    const content = sent?.content ?? (body === undefined ? null : JSON.stringify(body));
    const headers = new Headers(headersOf(request, token));
    try {
      return await send(address, {
        method,
        cache: "no-store",
        headers,
        body: content,
        signal: signal ?? null,
        ...(content instanceof ReadableStream && { duplex: "half" }),
      });
    } catch (error) {
      throw signal?.aborted === true ? error : lost(`${method} ${address.href}`, error);
    } finally {
      sent?.end();
    }
  };

  const open = async (request: Request): Promise<Response> => {
    const response = await ask(request);
    if (response.ok) return response;
    throw await refusal(response, request);
  };

  return {
    async call(schema, { alsoStatus, ...request }) {
      const response = await ask(request);
      if (!response.ok && response.status !== alsoStatus) throw await refusal(response, request);
      const body = parseJson(await textOf(response, request));
      const { data } = schema.safeParse(body);
      if (data === undefined) throw toHoldfastError({ ...headOf(response), body });
      return data;
    },
    text: async (request) => textOf(await open(request), request),
    open,
  };
}

async function refusal(response: Response, request: Request): Promise<HoldfastError> {
  return toHoldfastError({
    ...headOf(response),
    body: parseJson(await textOf(response, request)),
  });
}

function headOf({ status, headers }: Response): { status: number; headers: Headers } {
  return { status, headers };
}

/** An id as part of a path: one that would lead to another path is refused before it is sent. */
export function segment(id: string): string {
  if (!idSchema.safeParse(id).success || id === "." || id === "..")
    throw new TypeError(`Not an id: ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

/** The text of a response, piece by piece, no faster than it is taken. */
export async function* textChunks(
  response: Response,
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

/** Gives up on work that takes too long. */
export type Within = <Result>(work: Promise<Result>) => Promise<Result>;

async function textOf(response: Response, { signal }: CallOptions): Promise<string> {
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

/** What `fetch` of Node says is only that it failed; why, is in its cause. */
function reasonOf(error: unknown): string {
  const deepest = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return deepest instanceof Error ? deepest.message || deepest.name : String(deepest);
}

function headersOf(request: Request, token: string | undefined): Record<string, string> {
  const { body, bundle, headers, idempotencyKey, ifMatch } = request;
  return {
    accept: "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(bundle !== undefined && { "content-type": BUNDLE_MEDIA_TYPE }),
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...(ifMatch !== undefined && { "if-match": toEtag(ifMatch) }),
    ...headers,
  };
}

function toSearch(query: object): string {
  const values: Values = { ...query };
  const given = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null
      ? []
      : [[name, typeof value === "object" ? value.join(",") : String(value)]],
  );
  return new URLSearchParams(given).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
