import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { ASKED_BY_CLAUDE } from "../../packages/protocol/src/form/testing/real-forms.ts";
import { elicit, script } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "./holdfast-process.ts";
import {
  inTerminal,
  needTerminal,
  withoutTerminal,
  type TerminalCommand,
} from "./real-terminal.ts";

let folder: string;
let server: RunningServer;
let client: Client;
let sessionId: string;
let commands: TerminalCommand[];

beforeAll(async () => {
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  const prepared = prepareFolder({ providers });
  ({ folder } = prepared);
  const env = { AGENT_WORKSPACE_ROOT: prepared.root };
  server = await startHoldfast({ data: path.join(folder, "data"), env });
  client = createClient(server);
});
afterAll(async () => {
  await server.end("SIGTERM");
  removeFolder(folder);
});
beforeEach(async () => {
  commands = [];
  const repo = await client.repos.add({ path: "." });
  ({ id: sessionId } = await client.sessions.create({ repoId: repo.id, provider: "scripted" }));
});
afterEach(() => {
  for (const { kill } of commands) kill();
});

const sendArgs = (requestedSchema: unknown): readonly string[] => [
  "send",
  sessionId,
  script(elicit({ mode: "form", message: "Please answer.", requestedSchema })),
  "--data",
  server.data,
];
function started<Command extends TerminalCommand>(command: Command): Command {
  commands.push(command);
  return command;
}
async function until(condition: (session: WholeSession) => boolean): Promise<WholeSession> {
  for await (const { session } of client.sessions.follow(sessionId))
    if (condition(session)) return session;
  throw new Error("the session was deleted");
}
/** The settings that `stty` prints for a terminal in line mode with echo. */
const LINE_MODE = /[^-]icanon[^]*[^-]echo /u;

it("a form is filled in at a real terminal, and the agent gets exactly the answer (D1)", async () => {
  needTerminal();
  const { shows, type, code, screen } = started(inTerminal(sendArgs(ASKED_BY_CLAUDE)));
  await shows("? Please answer.");
  // The line with the hint is the last one before keys are read.
  await shows("or an answer of your own [skip]");
  type("9 databases\r");
  await shows("such as 1,2 [skip]");
  type("4\r");
  await shows("Type numbers from 1 to 3");
  type("3 1\r");
  await shows("Type text [skip]");
  type("/back\r2\r\r");
  await shows("Checks: Lint");
  type("y\r");
  await shows(
    'elicited: {"action":"accept","content":{"question_0_custom":"9 databases","question_1":["Lint"]}}',
  );
  expect(await code).toBe(0);
  expect(screen()).toMatch(LINE_MODE);
});

it("a secret of a form does not appear at a real terminal (D1)", async () => {
  needTerminal();
  const key = { type: "string", title: "Key", _meta: { codex: { isSecret: true } } };
  const { shows, type, code, screen } = started(
    inTerminal(sendArgs({ type: "object", properties: { key } })),
  );
  await shows("hidden while you type [skip]");
  type("k-123\r");
  await shows("Key: (not shown)");
  const before = screen();
  type("y\r");
  await shows("elicited:");
  expect(await code).toBe(0);
  expect(before).not.toContain("k-123");
});

it("a form without a terminal ends with 3, and the printed command answers it (D1)", async () => {
  const { code, screen } = started(withoutTerminal(sendArgs(ASKED_BY_CLAUDE)));
  expect(await code).toBe(3);
  const [, answer = ""] = /--answer '(\{"action":"accept".*\})'/u.exec(screen()) ?? [];
  expect(JSON.parse(answer)).toEqual({ action: "accept", content: { question_0: "SQLite" } });
  const wrong = JSON.stringify({ action: "accept", content: { question_0: "Oracle" } });
  const refused = await holdfast(["resume", sessionId, "--answer", wrong, "--data", server.data]);
  expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining("question_0")]);
  const given = await holdfast(["resume", sessionId, "--answer", answer, "--data", server.data]);
  expect(given.code).toBe(0);
  const { messages } = await until(({ state }) => state === "idle");
  expect(JSON.stringify(messages)).toContain(String.raw`\"question_0\":\"SQLite\"`);
});
