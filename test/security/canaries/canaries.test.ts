import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { createClient, type Client } from "../../../packages/client/src/index.ts";
import { RawClient } from "../../../packages/server/src/http/testing/raw-client.ts";
import { say, script } from "../../../packages/server/src/providers/testing/script.ts";
import { LEAK_VARIABLE } from "../../../packages/server/src/providers/testing/scripted-leak.ts";
import { SCRIPTED_VARIABLE } from "../../../packages/server/src/providers/testing/scripted-options.ts";
import { repeat } from "../../../packages/server/src/domain/testing/repeat.ts";
import { scriptedCommand } from "../../../packages/server/src/providers/testing/scripted-provider.ts";
import { allRows } from "../../../packages/server/src/storage/testing/all-rows.ts";
import { createTestDatabase } from "../../../packages/server/src/storage/testing/test-database.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../../e2e/holdfast-process.ts";
import { canaryOf, canarySearch, configuredCanaries, type Canary } from "./canaries.ts";
import { filesOf } from "./kept.ts";
import { PROVIDERS, WAYS, type Way } from "./ways.ts";

const CONFIG_FILE = "holdfast.config.json";

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.end("SIGKILL");
  server = null;
});

/** What is stored is the same on both databases; the long run looks at both. */
const ENGINES = repeat<readonly ("sqlite" | "postgres")[]>({
  short: ["sqlite"],
  long: ["sqlite", "postgres"],
});

describe.each(ENGINES)("canaries, on %s", (engine) => {
  it("of 45 secrets, none is stored, logged or shown, whichever way an agent gives it away", async () => {
    const configured = configuredCanaries();
    const { folder, data, root } = prepareFolder({});
    onTestFinished(() => removeFolder(folder));
    const secretsFile = path.join(folder, "secrets.json");
    const received = path.join(folder, "received.jsonl");
    const provider = (options: object): object => ({
      type: "acp",
      command: scriptedCommand,
      env: {
        ...configured.env,
        [LEAK_VARIABLE]: secretsFile,
        [SCRIPTED_VARIABLE]: JSON.stringify(options),
      },
      passEnv: configured.passEnv,
      mcpServers: configured.mcpServers,
    });
    const config = {
      sandbox: "off",
      providers: {
        leaky: provider({ log: received, capabilities: { mcpHttp: true, mcpSse: true } }),
        ...Object.fromEntries(
          Object.entries(PROVIDERS).map(([name, options]) => [name, provider(options)]),
        ),
        other: { type: "acp", command: ["no-such-program"], env: configured.otherEnv },
        model: { type: "model", api: "openai", model: "m", apiKeyEnv: "MODEL_KEY" },
      },
      defaultProvider: "leaky",
      mcpVariables: ["MCP_OF_SESSION", "MCP_UNUSED"],
      limits: { retries: 0 },
    };
    writeFileSync(path.join(data, CONFIG_FILE), JSON.stringify(config));
    const database = await createTestDatabase(engine);
    onTestFinished(() => database.remove());
    const env = {
      ...configured.serverEnv,
      AGENT_WORKSPACE_ROOT: root,
      HOLDFAST_TOKEN: configured.token,
      HOLDFAST_LOG_LEVEL: "debug",
      HOLDFAST_DATABASE_URL: withPassword(database.location, configured.password),
    };
    server = await startHoldfast({ data, env });
    const admin = createClient({ url: server.url, token: configured.token });
    const tokens = [
      (await admin.tokens.create({ name: "one", scope: "admin" })).token,
      (await admin.tokens.create({ name: "two", scope: "read" })).token,
      (await admin.tokens.create({ name: "three", scope: "send" })).token,
    ];
    const [token = ""] = tokens;
    const client = createClient({ url: server.url, token });
    const repo = await client.repos.add({ path: "." });
    const { id } = await client.sessions.create({
      repoId: repo.id,
      mcpServers: configured.sessionServers,
    });
    const bearer = { authorization: `Bearer ${token}` };
    const port = Number(new URL(server.url).port);
    const stream = new RawClient(port, `/api/sessions/${id}/events`, bearer);
    const global = new RawClient(port, "/api/events", bearer);

    // The agent of the first message gets the token of its tools.
    writeFileSync(secretsFile, "[]");
    await runWay(client, id, { way: "a greeting", steps: [say("Hello.")] });
    const toolToken = /"HOLDFAST_AGENT_TOKEN","value":"(?<token>[^"]+)"/u.exec(
      readFileSync(received, "utf8"),
    )?.groups?.["token"];
    const canaries: readonly Canary[] = [
      // SQLite has no password.
      ...configured.all.filter(
        ({ value }) => engine === "postgres" || value !== configured.password,
      ),
      ...tokens.map((each, at) => canaryOf(`API token ${at + 1}`, each)),
      canaryOf("the token of the agent's tools", toolToken ?? ""),
    ];
    expect(new Set(canaries.map(({ kernel }) => kernel)).size).toBeGreaterThanOrEqual(45);
    expect(WAYS.length).toBeGreaterThanOrEqual(30);
    writeFileSync(secretsFile, JSON.stringify(canaries.map(({ value }) => value)));

    for (const way of WAYS) {
      await runWay(client, id, way);
    }
    await runWay(client, id, { way: "the end", steps: [say("All done.")] });
    await stream.until("All done.");

    const texts: Record<string, string> = {};
    for (const where of [
      `/api/sessions/${id}`,
      `/api/sessions/${id}/messages?limit=200`,
      `/api/sessions/${id}/runs`,
      `/api/sessions/${id}/export`,
      "/api/sessions",
      "/api/sessions?search=key",
      "/api/providers",
      "/api/suspensions",
      "/api/stats",
      "/metrics",
      "/readyz",
    ]) {
      const reply = await fetch(`${server.url}${where}`, { headers: bearer });
      texts[where] = `${JSON.stringify([...reply.headers])} ${await reply.text()}`;
    }
    for (const command of [["list"], ["get", id], ["doctor"]]) {
      const { stdout, stderr } = await holdfast([...command, "--data", data], env);
      texts[`holdfast ${command.join(" ")}`] = stdout + stderr;
    }
    const files = (when: string): void => {
      const folders = [data];
      if (database.location.engine === "sqlite") folders.push(path.dirname(database.location.file));
      for (const each of folders) Object.assign(texts, filesOf(each, when));
    };
    files("while it runs");
    const { greeting } = server;
    const result = await server.end("SIGTERM");
    server = null;
    files("afterwards");
    Object.assign(texts, {
      "the server's output": greeting + result.stdout + result.stderr,
      "the stream of the session": stream.received,
      "the stream of all sessions": global.received,
      "the rows": JSON.stringify(await allRows(database.location)),
    });

    // The files that hold the secrets by design prove that the search works.
    const isMeant = (place: string): boolean =>
      place.includes(CONFIG_FILE) || place.includes("server.json");
    const meant = Object.keys(texts).filter(isMeant);
    const search = canarySearch(canaries);
    expect(meant.flatMap((place) => search(texts[place] ?? "")).length).toBeGreaterThan(25);
    expect(Object.keys(texts).filter((name) => name.includes("journals"))).not.toEqual([]);
    expect(texts["the stream of the session"]).toContain("The key is [redacted], as I said.");
    const leaks = Object.entries(texts)
      .filter(([place]) => !isMeant(place))
      .flatMap(([place, text]) => search(text).map((leak) => `${place}: ${leak}`));
    expect(leaks).toEqual([]);
  });
});

/** Sends the steps as a message, and cancels the run if it waits for a person. */
async function runWay(client: Client, id: string, { steps, provider }: Way): Promise<void> {
  const { run } = await client.sessions.send(id, {
    text: script(...steps),
    provider: provider ?? "leaky",
  });
  for await (const { session } of client.sessions.follow(id)) {
    if (session.suspensions.length > 0) {
      await client.sessions.cancel(id);
      return;
    }
    if (session.state !== "idle") continue;
    const { runs } = await client.sessions.runs(id, { limit: 100 });
    if (runs.some((each) => each.id === run.id && each.endedAt !== null)) return;
  }
}

function withPassword(
  location: Awaited<ReturnType<typeof createTestDatabase>>["location"],
  password: string,
): string {
  if (location.engine === "sqlite") return location.file;
  const url = new URL(location.url);
  url.password = password;
  return url.href;
}
