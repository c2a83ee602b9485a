import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import { mcp, say, script } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "./holdfast-process.ts";
import { markedProcesses } from "./marked-processes.ts";

let folder: string;
let root: string;
let server: RunningServer;
let client: Client;

beforeEach(async () => {
  const scripted = { type: "acp", command: scriptedCommand };
  const providers = { scripted, plain: { ...scripted, tools: false } };
  ({ folder, root } = prepareFolder({ providers }));
  await start();
});
afterEach(async () => {
  await server.end("SIGKILL");
  for (const pid of agents()) process.kill(pid, "SIGKILL");
  removeFolder(folder);
});

async function start(): Promise<void> {
  const env = { AGENT_WORKSPACE_ROOT: root, HOLDFAST_TOKEN: "s3cret" };
  server = await startHoldfast({ data: path.join(folder, "data"), env });
  client = createClient({ url: server.url, token: "s3cret" });
}

const agents = (): readonly number[] => markedProcesses(MARKER_VARIABLE, root);

async function newSession(provider: string): Promise<string> {
  const repo = await client.repos.add({ path: "." });
  return (await client.sessions.create({ repoId: repo.id, provider })).id;
}

async function until(
  id: string,
  condition: (session: WholeSession) => boolean,
): Promise<WholeSession> {
  for await (const { session } of client.sessions.follow(id))
    if (condition(session)) return session;
  throw new Error("the session was deleted");
}

const lastText = ({ messages }: WholeSession): unknown => messages.at(-1)?.content["text"];

describe("an agent with the tools of a real server", () => {
  it("reports its phase, asks, and gets the answer that was given after the server was killed (B2, C3)", async () => {
    const id = await newSession("scripted");
    const question = { question: "Which database?", options: ["SQLite", "PostgreSQL"] };
    const text = script(
      mcp("set_phase", { phase: "planning" }),
      mcp("ask_human", question),
      say("waiting", "m2"),
    );
    await client.sessions.send(id, { text });
    const suspended = await until(id, (session) => lastText(session) === "waiting");
    expect(suspended).toMatchObject({
      phase: "planning",
      state: "suspended",
      suspension: { kind: "question", request: { title: "Which database?" } },
    });

    await server.end("SIGKILL");
    await start();
    const { suspensions } = await client.suspensions();
    expect(suspensions.map(({ sessionId, kind }) => [sessionId, kind])).toEqual([[id, "question"]]);
    await client.sessions.answer(id, {
      suspensionId: suspensions[0]?.id ?? "",
      answer: "PostgreSQL",
    });
    // An event carries the current session: it can be idle before the events of its messages arrive.
    const isDone = (session: WholeSession): boolean =>
      session.state === "idle" && lastText(session) !== "waiting";
    const done = await until(id, isDone);
    expect(lastText(done)).toContain('You asked: "Which database?" The answer: PostgreSQL');
  });

  it("has no tools if the config file disables them", async () => {
    const id = await newSession("plain");
    await client.sessions.send(id, { text: script(mcp("set_phase", { phase: "planning" })) });
    const done = await until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
    expect(lastText(done)).toBe("mcp: none");
  });
});

describe("holdfast mcp for the tools of a session", () => {
  it("refuses an address without its token", async () => {
    const environment = { HOLDFAST_AGENT_URL: "http://127.0.0.1:1/api/agent/sessions/s" };
    expect(await holdfast(["mcp"], environment)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("HOLDFAST_AGENT_URL is set without HOLDFAST_AGENT_TOKEN"),
    });
  });
});
