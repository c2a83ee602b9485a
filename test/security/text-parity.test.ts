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

/** What databases disagree about, as JSON writes it: each may be a text, a key, or a whole value. */
const TEXTS: Readonly<Record<string, string>> = {
  "NUL inside": String.raw`a\u0000b`,
  "nothing but NUL": String.raw`\u0000\u0000`,
  "half of a pair": String.raw`x\ud83dy`,
  "halves in the wrong order": String.raw`\ude00\ud83d`,
  "a pair, and what is not a character": String.raw`\ud83d\ude00 \uffff\ufffe`,
  controls: String.raw`\u0001\b\u001b[31m\u007f\u0085\u009b`,
  "other line ends": String.raw`a\r\nb\u2028\u2029\u000b`,
  directions: String.raw`\u202eevil\u2066\u200f\ufeff`,
  quotes: String.raw`'; drop table \"AgentSession\"; -- \\u0000 $1 ? %s`,
  "composed and decomposed": String.raw`\u00e4 a\u0308`,
  spaces: String.raw` \t \u00a0\u3000 `,
  JSON: String.raw`{\"a\":[1,null]}`,
};

const deep = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
const VALUES: Readonly<Record<string, string>> = {
  "as deep as may be": deep(60),
  "too deep": deep(70),
  "much too deep": deep(5_000),
  "numbers at the edge": "[1e308,5e-324,9007199254740993,-0,1e400]",
  "names of the language": `{"constructor":1,"toString":2,"":3}`,
  "the same key twice": `{"a":1,"a":2}`,
};

const TOKEN = "the token of both servers";

interface Told {
  readonly what: string;
  readonly status: number;
  readonly body: unknown;
}

class Side {
  readonly told: Told[] = [];
  readonly test: TestRuntime;
  readonly app: App;
  readonly #token: (sessionId: string) => string;
  readonly #known = new Map<string, string>();

  static async open(engine: "sqlite" | "postgres"): Promise<Side> {
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
    return new Side(test, app, (id) => agentTokens.of(id));
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

  /** The answer, remembered with its ids and times in place of which there are names. */
  async ask(
    what: string,
    [method, url]: readonly [Method, string],
    json?: string,
  ): Promise<Answered> {
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
        const name = this.#known.get(id) ?? `id ${this.#known.size}`;
        this.#known.set(id, name);
        return name;
      })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME")
      .replaceAll(/"token":"[^"]+"/gu, `"token":"TOKEN"`)
      .replaceAll(/"durationMs":\d+/gu, `"durationMs":0`);
    this.told.push({ what, status: reply.statusCode, body: JSON.parse(text) });
    return reply.json();
  }
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";
type Answered = Readonly<Record<string, unknown>>;

/** Everything that is stored of what somebody says, said with this. */
async function sayEverywhere(
  side: Side,
  name: string,
  given: { text?: string; value?: string },
): Promise<void> {
  const { test } = side;
  const text = given.text === undefined ? '"plain"' : `"${given.text}"`;
  const value = given.value ?? `{${text}:[${text}]}`;
  const made = await side.ask(
    `${name}: create`,
    ["POST", "/api/sessions"],
    `{"repoId":"${test.repoId}","title":${text},"purpose":${text},"agentName":${text},"metadata":{"k":${value},${text}:${text}}}`,
  );
  // What cannot be made is refused alike; the rest is tried on one that can.
  const id = typeof made["id"] === "string" ? made["id"] : await test.createSession();
  const at = `/api/sessions/${id}`;
  const say = (what: string, route: readonly [Method, string], json?: string): Promise<Answered> =>
    side.ask(`${name}: ${what}`, route, json);
  await say("title", ["PATCH", at], `{"title":${text}}`);
  await say("metadata", ["PATCH", at], `{"metadata":{${text}:${value}}}`);
  await say("error", ["PATCH", at], `{"error":${text}}`);
  await say("provider", ["PATCH", at], `{"provider":${text},"model":${text}}`);
  await say("model", ["PATCH", at], `{"model":${text}}`);
  await say("phase", ["PATCH", at], `{"phase":${text}}`);
  await say("held", ["PATCH", at], `{"delivery":"hold","model":null}`);
  const sent = await say("message", ["POST", `${at}/messages`], `{"text":${text}}`);
  await say(
    "parts",
    ["POST", `${at}/messages`],
    `{"content":[{"type":"text","text":${text}},{"type":"thing","of":${value}}]}`,
  );
  await say(
    "options",
    ["POST", `${at}/messages`],
    `{"text":"x","model":${text},"provider":${text}}`,
  );
  const { message } = sent;
  if (typeof message === "object" && message !== null && "id" in message)
    await say("edit", ["PATCH", `${at}/queue/${String(message.id)}`], `{"text":${text}}`);
  await say("queue", ["GET", `${at}/queue`]);
  await say("whole", ["GET", at]);
  await say("summary", ["POST", `${at}/finalize`], `{"outcome":"completed","summary":${text}}`);
  await say("reason", ["POST", `${at}/fail`], `{"reason":${text}}`);
  await say("ended", ["GET", at]);
  await say("token", ["POST", "/api/tokens"], `{"name":${text},"scope":"admin"}`);
  const folder = path.join(test.folder, "root", "other");
  mkdirSync(path.join(folder, ".git"), { recursive: true });
  await say("repository", ["POST", "/api/repos"], `{"path":"${folder}","name":${text}}`);
}

async function answerWith(
  side: Side,
  name: string,
  given: { text?: string; value?: string },
): Promise<void> {
  const { test } = side;
  const id = await test.createSession();
  await test.send(id, script(waitFor(path.join(test.folder, "never"))));
  await test.until(id, ({ session }) => session.state === "running");
  const text = given.text === undefined ? '"plain"' : `"${given.text}"`;
  const value = given.value ?? `{${text}:[${text}]}`;
  const asked = await side.ask(
    `${name}: ask`,
    ["POST", `/api/agent/sessions/${id}/questions`],
    `{"question":${text},"choices":[${text},"b"]}`,
  );
  const open = typeof asked["id"] === "string" ? asked["id"] : "none";
  await side.ask(
    `${name}: answer`,
    ["POST", `/api/sessions/${id}/resume`],
    `{"suspensionId":"${open}","answer":${value}}`,
  );
  await side.ask(
    `${name}: answer text`,
    ["POST", `/api/sessions/${id}/resume`],
    `{"suspensionId":"${open}","answer":${text}}`,
  );
  const suspensions = await test.store.readSuspensions(id);
  side.told.push({
    what: `${name}: answered`,
    status: 0,
    body: suspensions.map(({ request, status, answer }) => ({ request, status, answer })),
  });
  await test.runtime.deleteSession({ sessionId: id });
  await expect.poll(async () => (await test.runtime.measure()).busyAgents).toBe(0);
}

let sqlite: Side;
let postgres: Side;
beforeAll(async () => {
  [sqlite, postgres] = [await Side.open("sqlite"), await Side.open("postgres")];
});
afterAll(async () => {
  await sqlite.close();
  await postgres.close();
});

describe("text over HTTP is kept or refused alike on both databases", () => {
  const both = async (say: (side: Side) => Promise<void>): Promise<readonly Told[]> => {
    for (const side of [sqlite, postgres]) {
      side.told.splice(0);
      await say(side);
    }
    expect(postgres.told).toEqual(sqlite.told);
    const failed = sqlite.told.filter(({ status }) => status >= 500);
    expect(failed).toEqual([]);
    expect(JSON.stringify(sqlite.told)).not.toMatch(/(?<!\\)\\u(?:0000|d[89a-f])/u);
    return sqlite.told;
  };

  it.each(Object.keys(TEXTS))(
    "%s, in every field that is stored",
    async (name) => {
      const told = await both((side) => sayEverywhere(side, name, { text: TEXTS[name] ?? "" }));
      expect(told.filter(({ status }) => status < 300).length).toBeGreaterThan(5);
    },
    60_000,
  );

  it.each(Object.keys(VALUES))(
    "%s, in every field that takes any value",
    async (name) => {
      await both((side) => sayEverywhere(side, name, { value: VALUES[name] ?? "" }));
    },
    60_000,
  );

  it("what is answered, and what is asked by agents", async () => {
    await both(async (side) => {
      for (const [name, text] of Object.entries(TEXTS)) await answerWith(side, name, { text });
      for (const [name, value] of Object.entries(VALUES)) await answerWith(side, name, { value });
    });
  });

  it("texts of 1 MiB are kept and of 3 MB refused", async () => {
    const told = await both(async (side) => {
      const id = await side.test.createSession();
      const at = `/api/sessions/${id}`;
      await side.ask("held", ["PATCH", at], `{"delivery":"hold"}`);
      for (const [what, character, count] of [
        ["a MiB", "x", 1_048_576],
        ["a byte more", "x", 1_048_577],
        ["a MiB of long characters", "語", 349_525],
        ["more of them", "語", 349_526],
        ["3 MB", "x", 3_000_000],
      ] as const) {
        const text = JSON.stringify(character.repeat(count));
        await side.ask(what, ["POST", `${at}/messages`], `{"text":${text}}`);
        await side.ask(`${what} of metadata`, ["PATCH", at], `{"metadata":{"k":${text}}}`);
        await side.ask(`${what} of a title`, ["PATCH", at], `{"title":${text}}`);
      }
    });
    expect(
      told
        .filter(({ what }) => !what.includes(" of a") && !what.includes("of metadata"))
        .map(({ what, status }) => [what, status]),
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
