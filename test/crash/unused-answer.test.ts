import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { OpenSuspension, WholeSession } from "../../packages/protocol/src/index.ts";
import { ask, script, shell, tool } from "../../packages/server/src/providers/testing/script.ts";
import {
  SCRIPTED_VARIABLE,
  type ScriptedOptions,
} from "../../packages/server/src/providers/testing/scripted-options.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";

/** A real server is killed while a real agent asks over stdio. A person allows the action after the next start. */
let folder: string;
let data: string;
let root: string;
let server: RunningServer;
let client: Client;
let repoId: string;

/** Starts a server with these settings of agents. */
async function open(agents: object): Promise<void> {
  const options: ScriptedOptions = {
    folder: ".memory",
    capabilities: { resume: true },
    goesOn: true,
  };
  const env = { [SCRIPTED_VARIABLE]: JSON.stringify(options) };
  const scripted = { type: "acp", command: scriptedCommand, env, tools: false };
  ({ folder, data, root } = prepareFolder({
    providers: { scripted },
    defaultProvider: "scripted",
    agents,
  }));
  await start();
  repoId = (await client.repos.add({ path: root })).id;
}
afterEach(async () => {
  await server.end("SIGTERM");
  removeFolder(folder);
});

async function start(): Promise<void> {
  server = await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root } });
  client = createClient(server);
}

async function until(
  id: string,
  condition: (session: WholeSession) => boolean,
): Promise<WholeSession> {
  const signal = AbortSignal.timeout(60_000);
  for await (const { session } of client.sessions.follow(id, { signal })) {
    if (condition(session)) return session;
  }
  throw new Error("the session did not reach the expected state");
}

interface Asked {
  readonly id: string;
  readonly suspension: OpenSuspension;
  readonly file: string;
  /** The agent writes the ID of its process here, before it asks and when it acts. */
  readonly actors: string;
}

/** Lets the agent ask to append to a file, kills the server, and returns the request after the restart. */
async function killWhileAsking(words: string, name: string): Promise<Asked> {
  const { id } = await client.sessions.create({ repoId });
  const file = path.join(root, name);
  const call = {
    id: "c1",
    title: `Write ${name}`,
    kind: "execute",
    input: { command: `echo >> ${name}` },
  };
  const actors = `${file}.actors`;
  const sign = shell(`echo $PPID >> '${actors}'`);
  const act = ask({ ...call, allowed: [shell(`echo done >> '${file}'`), sign, tool(call)] });
  await client.sessions.send(id, { text: `${words}\n${script(sign, act)}` });
  await until(id, ({ state }) => state === "suspended");
  await server.end("SIGKILL");
  await start();
  const { suspensions } = await client.suspensions();
  const suspension = suspensions.find(({ sessionId }) => sessionId === id);
  if (suspension === undefined) throw new Error("the request is missing after the restart");
  expect(existsSync(file)).toBe(false);
  return { id, suspension, file, actors };
}

const runsOf = async (id: string) => (await client.sessions.runs(id)).runs;
const callsOf = ({ messages }: WholeSession) =>
  messages.flatMap(({ content }) => (content.type === "tool" ? [content["status"]] : []));

describe("an action that is allowed after the server was killed", () => {
  beforeEach(() => open({}));

  it("C3: is done once by the agent that asked, which waited and never heard a refusal", async () => {
    const { id, suspension, file, actors } = await killWhileAsking("STUBBORN", "waited.txt");
    await client.sessions.answer(id, { suspensionId: suspension.id, answer: "allow_once" });
    await until(id, ({ state }) => state === "idle");
    expect(readFileSync(file, "utf8")).toBe("done\n");
    const [asker = "", ...others] = readFileSync(actors, "utf8").trim().split("\n");
    expect(others).toEqual([asker]);
    expect(await runsOf(id)).toMatchObject([{ status: "completed", unusedAnswers: [] }]);
    expect(callsOf(await client.sessions.get(id))).toEqual(["completed"]);
    expect((await client.suspensions()).unusedAnswers).toEqual([]);
  });
});

describe("an action that is allowed after the server was killed together with the agent", () => {
  beforeEach(() => open({ host: "inside" }));

  it("C3: is done once by an agent that believes the continuation, without being asked again", async () => {
    const { id, suspension, file } = await killWhileAsking("Please", "once.txt");
    await client.sessions.answer(id, { suspensionId: suspension.id, answer: "allow_once" });
    await until(id, ({ state }) => state === "idle");
    expect(readFileSync(file, "utf8")).toBe("done\n");
    expect(await runsOf(id)).toMatchObject([{ status: "completed", unusedAnswers: [] }]);
    expect((await client.suspensions()).unusedAnswers).toEqual([]);
  });

  it("C3: is reported when an agent believes its own history and does nothing, until a person dismisses it", async () => {
    const { id, suspension, file } = await killWhileAsking("STUBBORN", "never.txt");
    await client.sessions.answer(id, { suspensionId: suspension.id, answer: "allow_once" });
    await until(id, ({ state }) => state === "idle");
    const idle = await client.sessions.get(id);
    expect(existsSync(file)).toBe(false);
    const [run] = await runsOf(id);
    const unused = { suspensionId: suspension.id, title: "Write never.txt" };
    expect(run).toMatchObject({ status: "completed", unusedAnswers: [unused] });

    // Dead tool calls are not shown as active.
    expect(callsOf(idle).filter((status) => status !== "completed")).toEqual(
      callsOf(idle).map(() => "unfinished"),
    );
    expect(idle.messages.every(({ complete }) => complete)).toBe(true);
    expect(idle.messages.at(-1)).toMatchObject({
      role: "system",
      content: {
        notice: "answer_unused",
        suspensionId: suspension.id,
        text: expect.stringContaining('"Write never.txt" was allowed, but the agent did not do it'),
      },
    });

    const inbox = await client.suspensions();
    expect(inbox.unusedAnswers).toMatchObject([{ ...unused, sessionId: id, runId: run?.id }]);
    const shown = await holdfast(["inbox", "--data", data]);
    expect(shown.stdout).toContain("unused_answer");
    expect(shown.stdout).toContain("Write never.txt");

    // It survives another crash, and disappears once it is dismissed.
    await server.end("SIGKILL");
    await start();
    expect((await client.suspensions()).unusedAnswers).toHaveLength(1);
    const dismissed = await holdfast(["inbox", "--dismiss", suspension.id, "--data", data]);
    expect([dismissed.code, dismissed.stdout]).toEqual([0, ""]);
    expect((await client.suspensions()).unusedAnswers).toEqual([]);
    expect(await runsOf(id)).toMatchObject([{ unusedAnswers: [unused] }]);
    expect((await holdfast(["inbox", "--dismiss", suspension.id, "--data", data])).code).toBe(1);
  });

  it("C3: is not reported when it was rejected", async () => {
    const { id, suspension, file } = await killWhileAsking("STUBBORN", "rejected.txt");
    await client.sessions.answer(id, { suspensionId: suspension.id, answer: "reject_once" });
    await until(id, ({ state }) => state === "idle");
    expect(existsSync(file)).toBe(false);
    expect(await runsOf(id)).toMatchObject([{ status: "completed", unusedAnswers: [] }]);
    expect((await client.suspensions()).unusedAnswers).toEqual([]);
  });
});
