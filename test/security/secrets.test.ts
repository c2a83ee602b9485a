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
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";

const CONFIG_FILE = "holdfast.config.json";
const canary = (name: string): string => `canary-${name}-${randomBytes(12).toString("hex")}`;

/** Forwards its input to the agent and records it, so that the test knows the agent's secrets. */
const RECORDER = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
const [file, command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
process.stdin.on("data", (chunk) => { appendFileSync(file, chunk); agent.stdin.write(chunk); });
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
    const recordFile = path.join(folder, "record.jsonl");
    writeFileSync(path.join(folder, "recorder.mjs"), RECORDER);
    writeFileSync(
      path.join(data, CONFIG_FILE),
      JSON.stringify({
        sandbox: "off",
        providers: {
          scripted: {
            type: "acp",
            command: [
              process.execPath,
              path.join(folder, "recorder.mjs"),
              recordFile,
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
    const created = await client.tokens.create({ name: "created", scope: "admin" });
    secrets["a created token"] = created.token;

    const { code } = await client.signInCode();
    const signIn = await fetch(`${server.url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: server.url },
      body: JSON.stringify({ code }),
    });
    secrets["a sign-in code"] = code;
    secrets["the cookie of a browser"] =
      /=(?<cookie>[^;]+)/u.exec(signIn.headers.get("set-cookie") ?? "")?.groups?.["cookie"] ?? "";
    const signedIn: { readonly key: string } = JSON.parse(await signIn.text());
    secrets["the key of a browser"] = signedIn.key;

    const tokenClient = createClient({ url: server.url, token: created.token });
    const repo = await tokenClient.repos.add({ path: "." });
    const { id } = await tokenClient.sessions.create({ repoId: repo.id });
    const bearer = { authorization: `Bearer ${created.token}` };
    const port = Number(new URL(server.url).port);
    const stream = new RawClient(port, `/api/sessions/${id}/events`, bearer);
    const global = new RawClient(port, "/api/events", bearer);
    const question = { id: "t1", title: "Write a.txt", kind: "edit", input: { path: "a.txt" } };
    await tokenClient.sessions.send(id, {
      text: script(mcp("set_phase", { phase: "planning" }), ask(question), say(" done")),
    });
    for await (const { session } of tokenClient.sessions.follow(id)) {
      const [suspension] = session.suspensions;
      if (suspension !== undefined)
        await tokenClient.sessions.answer(id, { suspensionId: suspension.id, answer: "allow" });
      if (session.state === "idle" && session.messages.some(({ role }) => role === "agent")) break;
    }
    await stream.until(" done");

    const toolToken = /"HOLDFAST_AGENT_TOKEN","value":"(?<token>[^"]+)"/u.exec(
      readFileSync(recordFile, "utf8"),
    )?.groups?.["token"];
    expect(toolToken).toEqual(expect.any(String));
    secrets["the token of the agent's tools"] = toolToken ?? "";

    const texts: Record<string, string> = {};
    const paths = [
      `/api/sessions/${id}`,
      `/api/sessions/${id}/messages`,
      `/api/sessions/${id}/runs`,
      `/api/sessions/${id}/export`,
      "/api/sessions",
      "/api/tokens",
      "/api/browsers",
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
      texts[where] = `${JSON.stringify([...reply.headers])} ${await reply.text()}`;
    }
    const wrong = await fetch(`${server.url}/api/sessions`, {
      method: "POST",
      headers: { ...bearer, "content-type": "application/json" },
      body: `{"title": "x", "titel": 1}`,
    });
    texts["an error response"] = await wrong.text();
    for (const command of [["list"], ["doctor"], ["db", "status"], ["token"], ["nodes"]]) {
      const { stdout, stderr } = await holdfast([...command, "--data", data], env);
      texts[`holdfast ${command.join(" ")}`] = stdout + stderr;
    }
    if (engine === "postgres") {
      const unreachable = env.HOLDFAST_DATABASE_URL.replace(/:\d+\//u, ":9/");
      const failed = await holdfast(["db", "status", "--data", path.join(folder, "other")], {
        ...env,
        HOLDFAST_DATABASE_URL: unreachable,
      });
      texts["an unreachable database"] = `${failed.code}${failed.stdout}${failed.stderr}`;
    }

    const { greeting } = server;
    const result = await server.end("SIGTERM");
    server = null;
    commandLines.stop();
    Object.assign(texts, {
      "the server's output": greeting + result.stdout + result.stderr,
      "the stream of the session": stream.received,
      "the stream of all sessions": global.received,
      "command lines": [...commandLines.seen].join("\n"),
      "the rows": JSON.stringify(await allRows(database.location)),
      ...filesOf(data),
      ...(database.location.engine === "sqlite" && filesOf(path.dirname(database.location.file))),
    });

    expect(texts["an unreachable database"] ?? "2").toMatch(/^2/u);
    expect(texts["the stream of the session"]).toContain("answer: allow");
    expect(texts["command lines"]).toContain("recorder.mjs");
    expect(Object.keys(texts).some((name) => name.endsWith(".log"))).toBe(true);
    // The config file contains a secret, which proves that the search works.
    const config = texts[path.join(data, CONFIG_FILE)] ?? "";
    expect(leaks({ config }, secrets)).toEqual(["config contains the provider's key"]);
    delete texts[path.join(data, CONFIG_FILE)];
    expect(leaks(texts, secrets)).toEqual([]);
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
      ].some((encoded) => text.includes(encoded))
        ? `${place} contains ${name}`
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

/** Collects the command lines of all processes of this machine. */
function watchCommandLines() {
  needProc();
  const seen = new Set<string>();
  const poll = (): void => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
      } catch {
        // It has exited.
      }
    }
  };
  const timer = setInterval(poll, 50);
  return { seen, stop: () => clearInterval(timer) };
}
