import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createClient, type Client } from "../../../packages/client/src/index.ts";
import { RawClient } from "../../../packages/server/src/http/testing/raw-client.ts";
import {
  elicit,
  form,
  leak,
  say,
  script,
  stderr,
  think,
  tool,
  type Step,
} from "../../../packages/server/src/providers/testing/script.ts";
import { LEAK_VARIABLE } from "../../../packages/server/src/providers/testing/scripted-leak.ts";
import { SCRIPTED_VARIABLE } from "../../../packages/server/src/providers/testing/scripted-options.ts";
import { scriptedCommand } from "../../../packages/server/src/providers/testing/scripted-provider.ts";
import { createTestDatabase } from "../../../packages/server/src/storage/testing/test-database.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../../e2e/holdfast-process.ts";
import { canarySearch, newCanary, type Canary } from "./canaries.ts";
import { dumpOf, filesOf } from "./kept.ts";

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.end("SIGKILL");
  server = null;
});

/** A code as devices show it, long enough to be found. */
function newCode(): Canary {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const word = (): string =>
    [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join("");
  const value = [word(), word(), word()].join("-");
  return { name: "the code of a login", kernel: value, value };
}

/** Ways of an agent to repeat what it was told. */
const REPEATS: readonly Step[] = [
  say("The key is {{plain}}, as I said."),
  say("{{base64}} and {{hex}} and {{url}}"),
  think("I was told {{json}}."),
  tool({ id: "t-1", title: "Use {{plain}}", input: { key: "{{plain}}" }, output: "{{plain}}" }),
  stderr("{{plain}}\n"),
];

describe.each(["sqlite", "postgres"] as const)("secrets that a person gives, on %s", (engine) => {
  it("in forms and logins are stored, logged and shown nowhere (D1)", async () => {
    const asked = {
      password: newCanary("a password in a form"),
      key: newCanary("a key in a form of Codex"),
      token: newCanary("a token in a form", (kernel) => `Bearer ${kernel}/+=`),
    };
    const late = newCanary("a secret of a form that was answered without an agent");
    const code = newCode();
    const address = newCanary(
      "the address of a login",
      (kernel) => `https://login.example/?s=${kernel}`,
    );
    const printed = newCanary("what a login at a terminal prints");
    const apiKey = newCanary("the key of a login with a variable", (kernel) => `sk-${kernel}`);
    const canaries = [...Object.values(asked), late, code, address, printed, apiKey];
    const { folder, data, root } = prepareFolder({});
    onTestFinished(() => removeFolder(folder));
    const secretsFile = path.join(folder, "secrets.json");
    writeFileSync(secretsFile, "[]");
    const credentials = path.join(folder, "credentials");
    const received = path.join(folder, "received.jsonl");
    // The options are in a program of its own: values of `env` would be known as secrets.
    const programs: string[] = [];
    const provider = (name: string, options: object): object => {
      const program = path.join(folder, `${name}.sh`);
      const command = scriptedCommand.map((word) => `'${word}'`).join(" ");
      const lines = [
        "#!/bin/sh",
        `export ${SCRIPTED_VARIABLE}='${JSON.stringify(options)}'`,
        `exec ${command} "$@"`,
      ];
      writeFileSync(program, lines.join("\n"), { mode: 0o700 });
      programs.push(program);
      const env = { [LEAK_VARIABLE]: secretsFile };
      return { type: "acp", command: [program], env, passEnv: ["SCRIPTED_KEY"] };
    };
    const methods = [
      { id: "terminal", name: "Subscription", type: "terminal", args: ["--login"] },
      { id: "device", name: "Device code" },
      { id: "key", name: "Key", vars: [{ name: "SCRIPTED_KEY" }] },
    ];
    const page = { url: address.value, message: `Enter the code ${code.value}`, waits: true };
    const auth = { methods, file: credentials };
    const config = {
      sandbox: "off",
      providers: {
        leaky: provider("leaky", { log: received }),
        device: provider("device", { auth: { ...auth, accepts: "device", page } }),
        terminal: provider("terminal", {
          auth: { ...auth, accepts: "terminal", prints: printed.value },
        }),
        keyed: provider("keyed", { auth: { ...auth, accepts: "key" } }),
      },
      defaultProvider: "leaky",
      limits: { retries: 0 },
    };
    writeFileSync(path.join(data, "holdfast.config.json"), JSON.stringify(config));
    const database = await createTestDatabase(engine);
    onTestFinished(() => database.remove());
    const { location } = database;
    const env = {
      AGENT_WORKSPACE_ROOT: root,
      HOLDFAST_LOG_LEVEL: "debug",
      HOLDFAST_DATABASE_URL: location.engine === "sqlite" ? location.file : location.url,
      SCRIPTED_KEY: apiKey.value,
    };
    server = await startHoldfast({ data, env });
    const { url, token, headers } = server;
    const client = createClient({ url, token });
    const repo = await client.repos.add({ path: "." });
    const { id } = await client.sessions.create({ repoId: repo.id });
    const port = Number(new URL(url).port);
    const stream = new RawClient(port, `/api/sessions/${id}/events`, headers);
    const global = new RawClient(port, "/api/events", headers);

    // Forms.
    const question = form(
      "Sign in",
      {
        password: { type: "string", format: "password" },
        key: { type: "string", _meta: { codex: { isSecret: true } } },
        token: { type: "string", writeOnly: true },
        name: { type: "string" },
      },
      ["password"],
    );
    const content = {
      password: asked.password.value,
      key: asked.key.value,
      token: asked.token.value,
      name: "ada-of-the-form",
    };
    await client.sessions.send(id, { text: script(elicit(question)) });
    await answerWhenAsked(client, id, content);
    await untilIdle(client, id);
    expect(JSON.parse(`[${readFileSync(received, "utf8").trim().split("\n").join(",")}]`)).toEqual(
      expect.arrayContaining([expect.objectContaining({ result: { action: "accept", content } })]),
    );
    writeFileSync(secretsFile, JSON.stringify(Object.values(asked).map(({ value }) => value)));
    await client.sessions.send(id, { text: script(...REPEATS.map((step) => leak(step))) });
    await untilIdle(client, id);
    const texts: Record<string, string> = {};
    const folders = [data, ...(location.engine === "sqlite" ? [path.dirname(location.file)] : [])];
    const files = (when: string): void => {
      for (const each of folders) Object.assign(texts, filesOf(each, when));
    };
    files("while the agent that got them lives");
    // The agent ends before the answer, so the next one is only told that there is one.
    await client.sessions.send(id, {
      text: script(elicit(form("Once more", { late: { type: "string", writeOnly: true } }))),
    });
    const { id: suspensionId } = await suspensionOf(client, id);
    const stopped = await server.end("SIGTERM");
    server = await startHoldfast({ data, env });
    const again = createClient({ url: server.url, token: server.token });
    await again.sessions.answer(id, {
      suspensionId,
      answer: { action: "accept", content: { late: late.value } },
    });
    await untilIdle(again, id);

    // Logins.
    const waiting = await again.sessions.create({ repoId: repo.id, provider: "device" });
    await again.sessions.send(waiting.id, { text: script(say("Hello.")) });
    expect((await suspensionOf(again, waiting.id)).kind).toBe("login");
    await again.logIn("device", { method: "device" });
    await expect.poll(async () => (await again.login("device")).state).toBe("waiting");
    expect(await again.login("device")).toMatchObject({ url: address.value, code: code.value });
    writeFileSync(credentials, "logged in");
    await expect.poll(async () => (await again.login("device")).state).toBe("done");
    await untilIdle(again, waiting.id);
    rmSync(credentials);
    const flags = ["--data", data, "--json"];
    const loggedIn = await holdfast(["login", "terminal", "--method", "terminal", ...flags], env);
    expect([loggedIn.code, loggedIn.stdout]).toEqual([0, expect.stringContaining('"terminal"')]);
    rmSync(credentials);
    await again.logIn("keyed", { method: "key" });
    await expect.poll(async () => (await again.login("keyed")).state).toBe("done");

    for (const where of [
      `/api/sessions/${id}`,
      `/api/sessions/${id}/messages?limit=200`,
      `/api/sessions/${id}/runs`,
      `/api/sessions/${id}/export`,
      `/api/sessions/${id}/raw`,
      `/api/sessions/${waiting.id}`,
      `/api/sessions/${waiting.id}/runs`,
      `/api/sessions/${waiting.id}/export`,
      "/api/sessions?search=key",
      "/api/providers",
      "/api/suspensions",
      "/api/stats",
      "/metrics",
      "/readyz",
    ]) {
      const reply = await fetch(`${server.url}${where}`, { headers: server.headers });
      texts[where] = `${JSON.stringify([...reply.headers])} ${await reply.text()}`;
    }
    for (const command of [["list"], ["get", id], ["get", waiting.id], ["providers"], ["doctor"]]) {
      const { stdout, stderr: errors } = await holdfast([...command, "--data", data], env);
      texts[`holdfast ${command.join(" ")}`] = stdout + errors;
    }
    files("while it runs");
    const result = await server.end("SIGTERM");
    server = null;
    files("afterwards");
    Object.assign(texts, {
      "the server's output": stopped.stdout + stopped.stderr + result.stdout + result.stderr,
      "the stream of the session": stream.received,
      "the stream of all sessions": global.received,
      "the database": await dumpOf(location),
    });

    // What is no secret is found, so the search looks at the right places.
    const places = Object.entries(texts);
    const hits = places.filter(([, text]) => text.includes("ada-of-the-form"));
    expect(hits.map(([place]) => place).join("\n")).toMatch(
      engine === "sqlite" ? /\.db/u : /the database/u,
    );
    expect(hits.map(([place]) => place).join("\n")).toContain("journals");
    expect(texts["the stream of the session"]).toContain("The key is [redacted], as I said.");
    const found = canarySearch(canaries);
    // The search does not look for the plain form of a text in upper case.
    const search = (text: string): readonly string[] =>
      text.includes(code.value) ? [...found(text), code.name] : found(text);
    expect(programs.flatMap((program) => search(readFileSync(program, "utf8")))).toHaveLength(3);
    expect(
      places.flatMap(([place, text]) => search(text).map((found) => `${place}: ${found}`)),
    ).toEqual([]);
  });
});

async function suspensionOf(
  client: Client,
  id: string,
): Promise<{ readonly id: string; readonly kind: string }> {
  for await (const { session } of client.sessions.follow(id)) {
    const [suspension] = session.suspensions;
    if (suspension !== undefined) return suspension;
  }
  throw new Error("the stream has ended");
}

async function answerWhenAsked(client: Client, id: string, content: object): Promise<void> {
  const { id: suspensionId } = await suspensionOf(client, id);
  await client.sessions.answer(id, { suspensionId, answer: { action: "accept", content } });
}

async function untilIdle(client: Client, id: string): Promise<void> {
  for await (const { session } of client.sessions.follow(id))
    if (session.state === "idle" && session.queued === 0) return;
}
