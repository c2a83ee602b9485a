import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { needSandbox } from "../../packages/server/src/providers/sandbox/testing/sandbox-world.ts";
import { ask, script, shell } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type PreparedFolder,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { ROUTE_TABLE } from "./route-table.ts";

/** Passes everything to the agent, and records it: an agent gets the token of its tools with its first messages. */
const RECORDER = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
const [file, command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
process.stdin.on("data", (chunk) => { appendFileSync(file, chunk); agent.stdin.write(chunk); });
process.stdin.on("end", () => agent.stdin.end());
agent.on("exit", (code) => process.exit(code ?? 1));
`;

/**
 * Runs inside the sandbox, with more knowledge than an agent has. Writes what it got. Where the server can be reached, each
 * request comes from another loopback address: too many wrong tokens from one would be refused before they are looked at.
 */
const ATTACK = `
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
while (!existsSync("target.json")) await pause(20);
const { url, files, socketPath, attempts, isShared } = JSON.parse(readFileSync("target.json", "utf8"));
const token = /"HOLDFAST_AGENT_TOKEN","value":"([^"]+)"/.exec(readFileSync("record", "utf8"))[1];
const read = (file) => { try { return readFileSync(file, "utf8"); } catch (error) { return error.code; } };
const overSocket = await new Promise((resolve) => {
  request({ socketPath, path: "/api/sessions", headers: { host: "localhost" } }, (reply) => resolve(reply.statusCode))
    .on("error", (error) => resolve(error.code)).end();
});
let sent = 0;
const overLoopback = ({ path, method, headers, body }) => new Promise((resolve) => {
  sent += 1;
  const from = { localAddress: "127.1." + (sent >> 8) + "." + (sent & 255), agent: false };
  request(url + path, { method, headers, ...from }, (reply) => { resolve(reply.statusCode); reply.destroy(); })
    .on("error", (error) => resolve(String(error.code))).end(body);
});
const overFetch = async ({ path, ...options }) => {
  try {
    const reply = await fetch(url + path, { ...options, signal: AbortSignal.timeout(5000) });
    await reply.body?.cancel();
    return reply.status;
  } catch { return "unreachable"; }
};
const send = isShared ? overLoopback : overFetch;
const answers = {};
for (const [kind, secret] of [["without", {}], ["with", { authorization: "Bearer " + token }]]) {
  for (const { name, method, path, body } of attempts) {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    answers[name + " " + kind + " a token"] = await send({ method, path, headers: { ...secret, ...type }, ...text });
  }
}
const environment = Object.keys(process.env).filter((name) => name.startsWith("HOLDFAST_") && name.includes("TOKEN"));
writeFileSync("draft.json", JSON.stringify({ files: files.map(read), overSocket, answers, environment, token }));
renameSync("draft.json", "result.json");
`;

interface Attempt {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface AttackResult {
  readonly files: readonly string[];
  readonly overSocket: number | string;
  readonly answers: Readonly<Record<string, number | string>>;
  readonly environment: readonly string[];
  readonly token: string;
}

interface Attacked {
  readonly client: Client;
  readonly id: string;
  readonly suspensionId: string;
  readonly repo: string;
  readonly sibling: string;
  readonly attempts: readonly Attempt[];
  readonly result: AttackResult;
}

/** Too many wrong tokens are refused as such. */
const REFUSED: readonly unknown[] = [401, 429, "unreachable"];
const REFUSED_BY_TOKEN: readonly unknown[] = [401, 403];

let prepared: PreparedFolder;
let server: RunningServer | null = null;
beforeAll(needSandbox);
afterEach(async () => {
  await server?.end("SIGKILL");
  server = null;
  removeFolder(prepared.folder);
});

/** An agent asks for a permission, and attacks the server while the question is open. The sandbox must be there. */
async function attack({
  auth,
  network,
}: {
  readonly auth?: "none";
  readonly network?: "shared";
} = {}): Promise<Attacked> {
  prepared = prepareFolder({});
  const { data, root } = prepared;
  const repo = path.join(root, "repo");
  const sibling = path.join(root, "sibling");
  for (const folder of [repo, sibling]) mkdirSync(path.join(folder, ".git"), { recursive: true });
  writeFileSync(path.join(repo, "recorder.mjs"), RECORDER);
  writeFileSync(path.join(repo, "attack.mjs"), ATTACK);
  const command = [process.execPath, "recorder.mjs", "record", ...scriptedCommand];
  const scripted = { type: "acp", command, network };
  const config = { providers: { scripted }, sandbox: "required", auth };
  writeFileSync(path.join(data, "holdfast.config.json"), JSON.stringify(config));
  server = await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root } });
  const client = createClient(server);

  const { id: repoId } = await client.repos.add({ path: "repo" });
  const begin = shell(`(${process.execPath} attack.mjs > attack.log 2>&1 &)`);
  const question = { id: "t1", title: "Delete everything", kind: "execute" } as const;
  const message = script(begin, ask(question));
  const { id } = await client.sessions.create({ repoId, provider: "scripted", message });
  let suspensionId = "";
  for await (const { session } of client.sessions.follow(id)) {
    suspensionId = session.suspension?.id ?? "";
    if (suspensionId !== "") break;
  }

  const names = [
    "server.json",
    "holdfast.sock",
    "holdfast.db",
    ...(auth === "none" ? [] : ["token"]),
  ];
  const files = names.map((name) => path.join(data, name));
  for (const file of files) expect(existsSync(file)).toBe(true);
  const asUser: readonly Attempt[] = [
    {
      name: "answer",
      method: "POST",
      path: `/api/sessions/${id}/resume`,
      body: { suspensionId, answer: "allow" },
    },
    { name: "register", method: "POST", path: "/api/repos", body: { path: "sibling" } },
  ];
  // Where all of them succeed, two are enough.
  const attempts = auth === "none" ? asUser : [...asUser, ...everyRoute(id)];
  const target = {
    url: server.url,
    files: [...files, path.join(sibling, ".git")],
    socketPath: path.join(data, "holdfast.sock"),
    isShared: network === "shared",
    attempts,
  };
  writeFileSync(path.join(repo, "target.draft"), JSON.stringify(target));
  renameSync(path.join(repo, "target.draft"), path.join(repo, "target.json"));
  const resultFile = path.join(repo, "result.json");
  await expect.poll(() => existsSync(resultFile), { timeout: 60_000 }).toBe(true);
  const result: AttackResult = JSON.parse(readFileSync(resultFile, "utf8"));
  expect(result.files).toEqual(target.files.map(() => "ENOENT"));
  expect([result.overSocket, result.environment]).toEqual(["ENOENT", []]);
  expect(result.token).toMatch(/^[\w-]{43}$/u);
  expect(Object.keys(result.answers)).toHaveLength(attempts.length * 2);
  return { client, id, suspensionId, repo, sibling, attempts, result };
}

function everyRoute(id: string): readonly Attempt[] {
  return [
    { name: "sign in", method: "POST", path: "/api/sign-in", body: { code: "guess" } },
    ...Object.entries(ROUTE_TABLE).flatMap(([name, { access, body }]) => {
      if (access === "public" || access === "agent") return [];
      const [method = "", url = ""] = name.split(" ");
      return [{ name, method, path: url.replaceAll(/:\w+/gu, id), body }];
    }),
  ];
}

async function expectUnharmed({ client, id, suspensionId, repo }: Attacked): Promise<void> {
  const { suspension } = await client.sessions.get(id);
  expect(suspension).toMatchObject({ id: suspensionId });
  expect((await client.repos.list()).repos.map(({ path: each }) => each)).toEqual([repo]);
  await client.sessions.answer(id, { suspensionId, answer: "reject" });
  const { runs } = await client.sessions.runs(id);
  expect(JSON.stringify(runs)).toContain('"answeredBy":"server token"');
}

describe("an agent in the sandbox of a default installation", () => {
  it("cannot act as its user: no token, no socket, no route; its permission still waits", async () => {
    const attacked = await attack();
    expect(
      Object.entries(attacked.result.answers).filter(([, status]) => !REFUSED.includes(status)),
    ).toEqual([]);
    await expectUnharmed(attacked);
  });
});

describe("an agent in a sandbox that shares the network of the server", () => {
  it("cannot act as its user: it reaches every route, and the token refuses each", async () => {
    const attacked = await attack({ network: "shared" });
    expect(
      Object.entries(attacked.result.answers).filter(
        ([, status]) => !REFUSED_BY_TOKEN.includes(status),
      ),
    ).toEqual([]);
    await expectUnharmed(attacked);
  });

  it("acts as its user where no token is needed, so that the attack is a real one", async () => {
    const { client, id, repo, sibling, result } = await attack({ network: "shared", auth: "none" });
    expect(result.answers).toMatchObject({
      "answer without a token": 200,
      "register without a token": 201,
    });
    const { repos } = await client.repos.list();
    expect(repos.map(({ path: each }) => each).toSorted()).toEqual([repo, sibling]);
    const { runs } = await client.sessions.runs(id);
    expect(JSON.stringify(runs)).toContain(
      '"answer":{"optionId":"allow"},"answeredBy":"anyone (no authentication)"',
    );
  });
});
