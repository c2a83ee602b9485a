import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { AddressInfo } from "node:net";
import { anthropicDialect } from "./anthropic-dialect.ts";
import type { ModelRequest } from "./model-request.ts";
import { chatDialect } from "./chat-dialect.ts";
import { decideAnswer, type FakeAnswer, type Speech } from "./decide-answer.ts";
import type { Dialect, NamedCall } from "./dialect.ts";
import { geminiDialect } from "./gemini-dialect.ts";
import { responsesDialect } from "./responses-dialect.ts";

export interface FakeModels {
  /** Without a path: clients add `/v1` or `/v1beta`. */
  readonly url: string;
  readonly port: number;
  /** All requests so far, oldest first. */
  readonly requests: readonly FakeRequest[];
  /** Resolves with the first request that matches, past or future. */
  until(isSo: (request: FakeRequest) => boolean): Promise<FakeRequest>;
  close(): Promise<void>;
}

export interface FakeRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  /** Null if no dialect has this path. */
  readonly dialect: Dialect["name"] | null;
  readonly asked: ModelRequest | null;
  readonly answer: FakeAnswer | null;
  /** The outcome of the answer; `aborted`: the client disconnected before its end. */
  outcome: "open" | "told" | "aborted" | "failed";
}

const DIALECTS: readonly Dialect[] = [
  anthropicDialect,
  chatDialect,
  responsesDialect,
  geminiDialect,
];

/** A fake model API on loopback, in four dialects with streams. By default it follows directives in the messages. */
export async function startFakeModels({
  port = 0,
  decide = decideAnswer,
}: { readonly port?: number; readonly decide?: typeof decideAnswer } = {}): Promise<FakeModels> {
  const requests: FakeRequest[] = [];
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };
  const closing = new AbortController();
  const server = createServer((request, response) => {
    void answerOne(request, response, { requests, changed, decide, signal: closing.signal }).catch(
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    until: (isSo) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = requests.find(isSo);
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Surroundings {
  readonly requests: FakeRequest[];
  readonly changed: () => void;
  readonly decide: typeof decideAnswer;
  readonly signal: AbortSignal;
}

async function answerOne(
  request: IncomingMessage,
  response: ServerResponse,
  { requests, changed, decide, signal }: Surroundings,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://loopback").pathname;
  const body = await readBody(request);
  const dialect = DIALECTS.find((each) => each.isAsked(path)) ?? null;
  const asked = dialect?.parse(body, path) ?? null;
  const answer = asked === null ? null : decide(asked, (text) => failures(requests, text));
  const seen: FakeRequest = {
    path,
    headers: request.headers,
    body,
    dialect: dialect?.name ?? null,
    asked,
    answer,
    outcome: "open",
  };
  requests.push(seen);
  response.once("close", () => {
    if (seen.outcome === "open") seen.outcome = response.writableFinished ? "told" : "aborted";
    changed();
  });
  changed();
  if (dialect === null || asked === null || answer === null) {
    return sendSmall(response, path);
  }
  switch (answer.does) {
    case "hang":
      return;
    case "fail":
      seen.outcome = "failed";
      if (answer.status === 429) response.setHeader("retry-after", "1");
      // Like some services, it repeats the key in the error: clients must not show it.
      return sendJson(
        response,
        answer.status,
        dialect.failure(answer.status, `refused with ${answer.status}, key ${keyIn(request)}`),
      );
    case "speak":
      return stream(response, {
        dialect,
        asked,
        speech: answer,
        id: `fake${requests.length}`,
        signal,
      });
    default:
      return answer satisfies never;
  }
}

async function stream(
  response: ServerResponse,
  {
    dialect,
    asked,
    speech,
    id,
    signal,
  }: {
    readonly dialect: Dialect;
    readonly asked: ModelRequest;
    readonly speech: Speech;
    readonly id: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const calls = speech.calls.map((call, index): NamedCall => ({
    ...call,
    id: `call_${id}_${index}`,
  }));
  const usage = {
    input: tokens(asked.said.map(({ text }) => text)),
    output: tokens([speech.thought, ...speech.pieces]),
  };
  const telling = { model: asked.model, speech, calls, usage, id };
  if (!asked.isStreamed) return sendJson(response, 200, dialect.whole(telling));
  const told = dialect.tell(telling);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(told.opening.join(""));
  for (const piece of speech.pieces) {
    if (response.destroyed || signal.aborted) return;
    if (!response.write(told.piece(piece))) await drained(response);
    if (speech.pauseMs > 0) await pause(speech.pauseMs, undefined, { ref: false });
  }
  if (speech.isCut) return void setImmediate(() => response.destroy());
  response.end(told.closing.join(""));
}

/** Other requests of agents: the list of models, and the number of tokens in a text. */
function sendSmall(response: ServerResponse, path: string): void {
  if (path.endsWith("/models")) {
    const data = [{ id: "fake-model", object: "model", created: 0, owned_by: "nobody" }];
    return sendJson(response, 200, { object: "list", data });
  }
  if (/count_?tokens$/iu.test(path)) {
    return sendJson(response, 200, { input_tokens: 100, totalTokens: 100 });
  }
  return sendJson(response, 404, { error: { message: `nothing at ${path}` } });
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}

/** The number of failed requests with this latest text. */
function failures(requests: readonly FakeRequest[], text: string): number {
  return requests.filter(
    ({ outcome, asked }) =>
      outcome === "failed" && asked?.said.findLast(({ by }) => by === "user")?.text === text,
  ).length;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return null;
  }
}

function keyIn({ headers }: IncomingMessage): string {
  const key = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization;
  return String(key ?? "none").replace(/^Bearer /u, "");
}

function tokens(texts: readonly string[]): number {
  return Math.ceil(texts.join("").length / 4);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

if (import.meta.main) {
  const models = await startFakeModels({ port: Number(process.argv[2] ?? 0) });
  process.stdout.write(`${models.url}\n`);
}
