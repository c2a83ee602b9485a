import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import { needProc } from "../../packages/server/src/domain/testing/machine.ts";
import { RawClient } from "../../packages/server/src/http/testing/raw-client.ts";
import { ask, mcp, say, script } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import { allRows } from "../../packages/server/src/storage/testing/all-rows.ts";
import { createTestDatabase } from "../../packages/server/src/storage/testing/test-database.ts";
import {
  holdfast,
  readServerFile,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";

const CONFIG_FILE = "holdfast.config.json";
const canary = (name: string): string => `canary-${name}-${randomBytes(12).toString("hex")}`;

/** Hands on all it is told, and writes it down: what the agent was given is known to the test alone. */
const LISTENER = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
const [file, command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
process.stdin.on("data", (heard) => { appendFileSync(file, heard); agent.stdin.write(heard); });
process.stdin.on("end", () => agent.stdin.end());
agent.on("exit", (code) => process.exit(code ?? 1));
`;

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.end("SIGKILL");
  server = null;
});

describe.each(["sqlite", "postgres"] as const)("secrets, on %s", (engine) => {
  it("are in no log, row, event, export, reply or command line after a whole run", async () => {
    const secrets: Record<string, string> = {
      "the provider's key": canary("key"),
      "the server's token": canary("token"),
      "the database's password": canary("password"),
    };
    const { folder, data, root } = prepareFolder({});
    onTestFinished(() => removeFolder(folder));
    const heard = path.join(folder, "heard.jsonl");
    writeFileSync(path.join(folder, "listener.mjs"), LISTENER);
    writeFileSync(
      path.join(data, CONFIG_FILE),
      JSON.stringify({
        sandbox: "off",
        providers: {
          scripted: {
            type: "acp",
            command: [
              process.execPath,
              path.join(folder, "listener.mjs"),
              heard,
              ...scriptedCommand,
            ],
            env: { SCRIPTED_API_KEY: secrets["the provider's key"] },
          },
        },
        defaultProvider: "scripted",
      }),
    );
    const database = await createTestDatabase(engine);
    onTestFinished(() => database.remove());
    const commandLines = watchCommandLines();
    onTestFinished(commandLines.stop);

    const env = {
      AGENT_WORKSPACE_ROOT: root,
      HOLDFAST_TOKEN: secrets["the server's token"] ?? "",
      HOLDFAST_LOG_LEVEL: "debug",
      HOLDFAST_DATABASE_URL: withPassword(database.location, secrets["the database's password"]),
    };
    server = await startHoldfast({ data, env });
    const token = env.HOLDFAST_TOKEN;
    const client = createClient({ url: server.url, token });
    const made = await client.tokens.create({ name: "made", scope: "admin" });
    secrets["a token that was made"] = made.token;
    secrets["the token for the folder's owner"] = readServerFile(data).localToken;

    const using = createClient({ url: server.url, token: made.token });
    const repo = await using.repos.add({ path: "." });
    const { id } = await using.sessions.create({ repoId: repo.id });
    const bearer = { authorization: `Bearer ${made.token}` };
    const port = Number(new URL(server.url).port);
    const stream = new RawClient(port, `/api/sessions/${id}/events`, bearer);
    const global = new RawClient(port, "/api/events", bearer);
    const question = { id: "t1", title: "Write a.txt", kind: "edit", input: { path: "a.txt" } };
    await using.sessions.send(id, {
      text: script(mcp("set_phase", { phase: "planning" }), ask(question), say(" done")),
    });
    for await (const { session } of using.sessions.follow(id)) {
      const [waiting] = session.suspensions;
      if (waiting !== undefined)
        await using.sessions.answer(id, { suspensionId: waiting.id, answer: "allow" });
      if (session.state === "idle" && session.messages.some(({ role }) => role === "agent")) break;
    }
    await stream.until(" done");

    const toolToken = /"HOLDFAST_AGENT_TOKEN","value":"(?<token>[^"]+)"/u.exec(
      readFileSync(heard, "utf8"),
    )?.groups?.["token"];
    expect(toolToken).toEqual(expect.any(String));
    secrets["the token of the agent's tools"] = toolToken ?? "";

    const seen: Record<string, string> = {};
    const paths = [
      `/api/sessions/${id}`,
      `/api/sessions/${id}/messages`,
      `/api/sessions/${id}/runs`,
      `/api/sessions/${id}/export`,
      "/api/sessions",
      "/api/tokens",
      "/api/providers",
      "/api/nodes",
      "/api/repos",
      "/api/stats",
      "/readyz",
      "/metrics",
      "/openapi.json",
      "/docs",
      "/nowhere",
    ];
    for (const where of paths) {
      const reply = await fetch(`${server.url}${where}`, { headers: bearer });
      seen[where] = `${JSON.stringify([...reply.headers])} ${await reply.text()}`;
    }
    const wrong = await fetch(`${server.url}/api/sessions`, {
      method: "POST",
      headers: { ...bearer, "content-type": "application/json" },
      body: `{"title": "x", "titel": 1}`,
    });
    seen["a refusal"] = await wrong.text();
    for (const command of [["list"], ["doctor"], ["db", "status"], ["token"], ["nodes"]]) {
      const { stdout, stderr } = await holdfast([...command, "--data", data], env);
      seen[`holdfast ${command.join(" ")}`] = stdout + stderr;
    }
    if (engine === "postgres") {
      const gone = env.HOLDFAST_DATABASE_URL.replace(/:\d+\//u, ":9/");
      const failed = await holdfast(["db", "status", "--data", path.join(folder, "other")], {
        ...env,
        HOLDFAST_DATABASE_URL: gone,
      });
      seen["a database that is not there"] = `${failed.code}${failed.stdout}${failed.stderr}`;
    }

    const { greeting } = server;
    const ended = await server.end("SIGTERM");
    server = null;
    commandLines.stop();
    Object.assign(seen, {
      "what the server printed": greeting + ended.stdout + ended.stderr,
      "the stream of the session": stream.received,
      "the stream of all sessions": global.received,
      "command lines": [...commandLines.seen].join("\n"),
      "the rows": JSON.stringify(await allRows(database.location)),
      ...filesOf(data),
      ...(database.location.engine === "sqlite" && filesOf(path.dirname(database.location.file))),
    });

    expect(seen["a database that is not there"] ?? "2").toMatch(/^2/u);
    expect(seen["the stream of the session"]).toContain("answer: allow");
    expect(seen["command lines"]).toContain("listener.mjs");
    expect(Object.keys(seen).some((name) => name.endsWith(".log"))).toBe(true);
    // What has them must show them, or nothing would be found anywhere.
    const config = seen[path.join(data, CONFIG_FILE)] ?? "";
    expect(leaks({ config }, secrets)).toEqual(["config has the provider's key"]);
    delete seen[path.join(data, CONFIG_FILE)];
    expect(leaks(seen, secrets)).toEqual([]);
  });
});

function leaks(
  places: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString("base64").slice(0, -4),
      ].some((written) => text.includes(written))
        ? `${place} has ${name}`
        : [],
    ),
  );
}

function withPassword(
  location: Awaited<ReturnType<typeof createTestDatabase>>["location"],
  password = "",
): string {
  if (location.engine === "sqlite") return location.file;
  const url = new URL(location.url);
  url.password = password;
  return url.href;
}

function filesOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((file) => file.isFile())
      .map((file) => path.join(file.parentPath, file.name))
      .map((file) => [file, readFileSync(file, "latin1")]),
  );
}

/** Every command line that any process of this machine has had meanwhile, as far as one can look. */
function watchCommandLines() {
  needProc();
  const seen = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
      } catch {
        // It has ended.
      }
    }
  };
  const timer = setInterval(look, 50);
  return { seen, stop: () => clearInterval(timer) };
}
