import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgentTokens } from "../../packages/server/src/http/guard/agent-token.ts";
import { buildApp } from "../../packages/server/src/http/build-app.ts";
import { type App } from "../../packages/server/src/http/app.ts";
import { script, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { openAccessTokens } from "../../packages/server/src/runtime/tokens/access-tokens.ts";
import { TestRuntime } from "../../packages/server/src/runtime/testing/test-runtime.ts";

/** Texts that databases treat differently, as JSON. Each is used as a text, a key and a value. */
const TEXTS: Readonly<Record<string, string>> = {
  "NUL inside": String.raw`a\u0000b`,
  "nothing but NUL": String.raw`\u0000\u0000`,
  "a lone surrogate": String.raw`x\ud83dy`,
  "surrogates in the wrong order": String.raw`\ude00\ud83d`,
  "a surrogate pair, and noncharacters": String.raw`\ud83d\ude00 \uffff\ufffe`,
  controls: String.raw`\u0001\b\u001b[31m\u007f\u0085\u009b`,
  "other line endings": String.raw`a\r\nb\u2028\u2029\u000b`,
  directions: String.raw`\u202eevil\u2066\u200f\ufeff`,
  quotes: String.raw`'; drop table \"AgentSession\"; -- \\u0000 $1 ? %s`,
  "composed and decomposed": String.raw`\u00e4 a\u0308`,
  spaces: String.raw` \t \u00a0\u3000 `,
  JSON: String.raw`{\"a\":[1,null]}`,
};

const deep = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
const VALUES: Readonly<Record<string, string>> = {
  "nested up to the limit": deep(60),
  "nested too deeply": deep(70),
  "nested much too deeply": deep(5_000),
  "extreme numbers": "[1e308,5e-324,9007199254740993,-0,1e400]",
  "names of JavaScript": `{"constructor":1,"toString":2,"":3}`,
  "the same key twice": `{"a":1,"a":2}`,
};

const TOKEN = "the token of both servers";

interface LoggedReply {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
}

class EngineServer {
  readonly replies: LoggedReply[] = [];
  readonly test: TestRuntime;
  readonly app: App;
  readonly #token: (sessionId: string) => string;
  readonly #idNames = new Map<string, string>();

  static async open(engine: "sqlite" | "postgres"): Promise<EngineServer> {
    const test = await TestRuntime.open({ engine });
    const agentTokens = createAgentTokens();
    const app = await buildApp({
      runtime: test.runtime,
      version: "0.0.0",
      startedAt: new Date(),
      token: TOKEN,
      tokens: openAccessTokens({ store: test.store, clock: Date.now, newId: randomUUID }),
      agentTokens,
      webFolder: null,
    });
    return new EngineServer(test, app, (id) => agentTokens.of(id));
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.test.close();
  }

  private constructor(test: TestRuntime, app: App, token: (sessionId: string) => string) {
    this.test = test;
    this.app = app;
    this.#token = token;
  }

  /** Sends a request and logs the reply, with IDs and times replaced by names. */
  async send(
    name: string,
    [method, url]: readonly [Method, string],
    json?: string,
  ): Promise<ReplyBody> {
    const reply = await this.app.inject({
      method,
      url,
      headers: {
        ...(json !== undefined && { "content-type": "application/json" }),
        authorization: `Bearer ${url.startsWith("/api/agent/") ? this.#token(url.split("/")[4] ?? "") : TOKEN}`,
      },
      ...(json !== undefined && { payload: json }),
    });
    const text = reply.body
      .replaceAll(this.test.folder, "FOLDER")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, (id) => {
        const idName = this.#idNames.get(id) ?? `id ${this.#idNames.size}`;
        this.#idNames.set(id, idName);
        return idName;
      })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
      .replaceAll(/"token":"[^"]+"/gu, `"token":"TOKEN"`)
      .replaceAll(/"durationMs":\d+/gu, `"durationMs":0`);
    this.replies.push({ name, status: reply.statusCode, body: JSON.parse(text) });
    return reply.json();
  }
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";
type ReplyBody = Readonly<Record<string, unknown>>;

/** Puts the text or value into every stored field. */
async function sendEverywhere(
  side: EngineServer,
  name: string,
  input: { text?: string; value?: string },
): Promise<void> {
  const { test } = side;
  const text = input.text === undefined ? '"plain"' : `"${input.text}"`;
  const value = input.value ?? `{${text}:[${text}]}`;
  const created = await side.send(
    `${name}: create`,
    ["POST", "/api/sessions"],
    `{"repoId":"${test.repoId}","title":${text},"purpose":${text},"agentName":${text},"metadata":{"k":${value},${text}:${text}}}`,
  );
  // If this session is refused, the other requests use a plain one.
  const id = typeof created["id"] === "string" ? created["id"] : await test.createSession();
  const at = `/api/sessions/${id}`;
  const send = (
    field: string,
    route: readonly [Method, string],
    json?: string,
  ): Promise<ReplyBody> => side.send(`${name}: ${field}`, route, json);
  await send("title", ["PATCH", at], `{"title":${text}}`);
  await send("metadata", ["PATCH", at], `{"metadata":{${text}:${value}}}`);
  await send("error", ["PATCH", at], `{"error":${text}}`);
  await send("provider", ["PATCH", at], `{"provider":${text},"model":${text}}`);
  await send("model", ["PATCH", at], `{"model":${text}}`);
  await send("phase", ["PATCH", at], `{"phase":${text}}`);
  await send("held", ["PATCH", at], `{"delivery":"hold","model":null}`);
  const sent = await send("message", ["POST", `${at}/messages`], `{"text":${text}}`);
  await send(
    "parts",
    ["POST", `${at}/messages`],
    `{"content":[{"type":"text","text":${text}},{"type":"thing","of":${value}}]}`,
  );
  await send(
    "options",
    ["POST", `${at}/messages`],
    `{"text":"x","model":${text},"provider":${text}}`,
  );
  const { message } = sent;
  if (typeof message === "object" && message !== null && "id" in message)
    await send("edit", ["PATCH", `${at}/queue/${String(message.id)}`], `{"text":${text}}`);
  await send("queue", ["GET", `${at}/queue`]);
  await send("whole", ["GET", at]);
  await send("summary", ["POST", `${at}/finalize`], `{"outcome":"completed","summary":${text}}`);
  await send("reason", ["POST", `${at}/fail`], `{"reason":${text}}`);
  await send("ended", ["GET", at]);
  await send("token", ["POST", "/api/tokens"], `{"name":${text},"scope":"admin"}`);
  const folder = path.join(test.folder, "root", "other");
  mkdirSync(path.join(folder, ".git"), { recursive: true });
  await send("repository", ["POST", "/api/repos"], `{"path":"${folder}","name":${text}}`);
}

async function answerWith(
  side: EngineServer,
  name: string,
  input: { text?: string; value?: string },
): Promise<void> {
  const { test } = side;
  const id = await test.createSession();
  await test.send(id, script(waitFor(path.join(test.folder, "never"))));
  await test.until(id, ({ session }) => session.state === "running");
  const text = input.text === undefined ? '"plain"' : `"${input.text}"`;
  const value = input.value ?? `{${text}:[${text}]}`;
  const question = await side.send(
    `${name}: ask`,
    ["POST", `/api/agent/sessions/${id}/questions`],
    `{"question":${text},"choices":[${text},"b"]}`,
  );
  const open = typeof question["id"] === "string" ? question["id"] : "none";
  await side.send(
    `${name}: answer`,
    ["POST", `/api/sessions/${id}/resume`],
    `{"suspensionId":"${open}","answer":${value}}`,
  );
  await side.send(
    `${name}: answer text`,
    ["POST", `/api/sessions/${id}/resume`],
    `{"suspensionId":"${open}","answer":${text}}`,
  );
  const suspensions = await test.store.readSuspensions(id);
  side.replies.push({
    name: `${name}: answered`,
    status: 0,
    body: suspensions.map(({ request, status, answer }) => ({ request, status, answer })),
  });
  await test.runtime.deleteSession({ sessionId: id });
  await expect.poll(async () => (await test.runtime.measure()).busyAgents).toBe(0);
}

let sqlite: EngineServer;
let postgres: EngineServer;
beforeAll(async () => {
  [sqlite, postgres] = [await EngineServer.open("sqlite"), await EngineServer.open("postgres")];
});
afterAll(async () => {
  await sqlite.close();
  await postgres.close();
});

describe("text over HTTP is stored or refused in the same way on both databases", () => {
  const both = async (
    action: (side: EngineServer) => Promise<void>,
  ): Promise<readonly LoggedReply[]> => {
    for (const side of [sqlite, postgres]) {
      side.replies.splice(0);
      await action(side);
    }
    expect(postgres.replies).toEqual(sqlite.replies);
    const failed = sqlite.replies.filter(({ status }) => status >= 500);
    expect(failed).toEqual([]);
    expect(JSON.stringify(sqlite.replies)).not.toMatch(/(?<!\\)\\u(?:0000|d[89a-f])/u);
    return sqlite.replies;
  };

  it.each(Object.keys(TEXTS))(
    "%s, in every field that is stored",
    async (name) => {
      const replies = await both((side) => sendEverywhere(side, name, { text: TEXTS[name] ?? "" }));
      expect(replies.filter(({ status }) => status < 300).length).toBeGreaterThan(5);
    },
    60_000,
  );

  it.each(Object.keys(VALUES))(
    "%s, in every field that accepts any value",
    async (name) => {
      await both((side) => sendEverywhere(side, name, { value: VALUES[name] ?? "" }));
    },
    60_000,
  );

  it("answers, and questions of agents", async () => {
    await both(async (side) => {
      for (const [name, text] of Object.entries(TEXTS)) await answerWith(side, name, { text });
      for (const [name, value] of Object.entries(VALUES)) await answerWith(side, name, { value });
    });
  });

  it("texts of 1 MiB are stored, and texts of 3 MB refused", async () => {
    const replies = await both(async (side) => {
      const id = await side.test.createSession();
      const at = `/api/sessions/${id}`;
      await side.send("held", ["PATCH", at], `{"delivery":"hold"}`);
      for (const [size, character, count] of [
        ["a MiB", "x", 1_048_576],
        ["a byte more", "x", 1_048_577],
        ["a MiB of long characters", "語", 349_525],
        ["more of them", "語", 349_526],
        ["3 MB", "x", 3_000_000],
      ] as const) {
        const text = JSON.stringify(character.repeat(count));
        await side.send(size, ["POST", `${at}/messages`], `{"text":${text}}`);
        await side.send(`${size} of metadata`, ["PATCH", at], `{"metadata":{"k":${text}}}`);
        await side.send(`${size} of a title`, ["PATCH", at], `{"title":${text}}`);
      }
    });
    expect(
      replies
        .filter(({ name }) => !name.includes(" of a") && !name.includes("of metadata"))
        .map(({ name, status }) => [name, status]),
    ).toEqual([
      ["held", 200],
      ["a MiB", 202],
      ["a byte more", 400],
      ["a MiB of long characters", 202],
      ["more of them", 400],
      ["3 MB", 413],
    ]);
  });
});
