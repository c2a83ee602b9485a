import path from "node:path";
import { writeFileSync } from "node:fs";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import {
  ask,
  mcp,
  say,
  script,
  stop,
  tool,
  waitFor,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "./holdfast-process.ts";
import { markedProcesses } from "./marked-processes.ts";
import {
  inTerminal,
  needTerminal,
  withoutTerminal,
  type TerminalCommand,
} from "./real-terminal.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";

let folder: string;
let root: string;
let server: RunningServer;
let client: Client;
let sessionId: string;
let commands: TerminalCommand[];

beforeAll(async () => {
  ({ folder, root } = prepareFolder({}));
  configure({});
  await start(`${await freePort()}`);
});
afterAll(async () => {
  await server.end("SIGTERM");
  for (const pid of markedProcesses(MARKER_VARIABLE, root)) process.kill(pid, "SIGKILL");
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

/** The settings of agents of the next server. */
function configure(agents: object): void {
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  const file = path.join(folder, "data", "holdfast.config.json");
  writeFileSync(file, JSON.stringify({ sandbox: "off", providers, agents }));
}

async function start(port: string): Promise<void> {
  const env = { AGENT_WORKSPACE_ROOT: root };
  const data = path.join(folder, "data");
  server = await startHoldfast({ data, env, args: ["--port", port] });
  client = createClient(server);
}

/** Restarts the server at the same address, as in real use. */
async function restart({
  signal = "SIGKILL",
  meanwhile = () => {},
}: { signal?: NodeJS.Signals; meanwhile?: () => void } = {}): Promise<void> {
  const { port } = new URL(server.url);
  await server.end(signal);
  meanwhile();
  await start(port);
}

const sendArgs = (...steps: readonly Step[]): readonly string[] => [
  "send",
  sessionId,
  script(...steps),
  "--data",
  server.data,
];
function inTty(args: readonly string[]): TerminalCommand {
  const command = inTerminal(args);
  commands.push(command);
  return command;
}
function piped(...args: readonly string[]) {
  const command = withoutTerminal(args);
  commands.push(command);
  return command;
}
async function until(condition: (session: WholeSession) => boolean): Promise<WholeSession> {
  for await (const { session } of client.sessions.follow(sessionId))
    if (condition(session)) return session;
  throw new Error("the session was deleted");
}

const PERMISSION = ask({
  id: "t1",
  title: "Delete the build",
  kind: "execute",
  input: { command: "rm -rf build" },
});
const KEYS = "Press 1–2; Esc or n: Reject";
/** The settings that `stty` prints for a terminal in line mode with echo. */
const LINE_MODE = /[^-]icanon[^]*[^-]echo /u;

/** Keys are accepted half a second after a question appears, and Escape another half second later. */
const PRESS_EVERY_MS = 1_200;

async function press(
  command: TerminalCommand,
  { keys, shown }: { keys: string; shown: string },
): Promise<void> {
  const timer = setInterval(() => command.type(keys), PRESS_EVERY_MS);
  await command.shows(shown).finally(() => clearInterval(timer));
}

describe("send with pipes", () => {
  it("writes the answer to stdout, and no control characters anywhere", async () => {
    const hostile = "**bold** \u001B[31mred\u001B[0m \u001B]0;title\u0007";
    const command = piped(
      ...sendArgs(
        say(hostile),
        tool({ id: "t", title: "Read a", kind: "read", ends: "completed" }),
      ),
    );
    expect(await command.code).toBe(0);
    expect(command.stdout()).toBe("**bold** ␛[31mred␛[0m ␛]0;title␇\n");
    expect(command.screen()).toContain("✓ Read a  read\n");
    expect(command.screen()).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it("exits with 3 and prints the command that answers the request (C3)", async () => {
    const command = piped(...sendArgs(say("May I?"), PERMISSION));
    expect(await command.code).toBe(3);
    const [, resume = ""] = /holdfast (resume .* allow)\n/u.exec(command.screen()) ?? [];
    expect(await holdfast([...resume.split(" "), "--data", server.data])).toMatchObject({
      code: 0,
    });
    await until(({ state }) => state === "idle");
    // Who follows a session may get the end of the run before the completed text.
    const { messages } = await client.sessions.get(sessionId);
    expect(messages.at(-1)?.content["text"]).toBe("answer: allow");
  });

  it("exits with 2 if the run fails, and prints the reason", async () => {
    const command = piped(...sendArgs({ step: "fail", code: -32603, message: "no luck" }));
    expect(await command.code).toBe(2);
    expect(command.screen()).toContain("Failed: ");
  });

  it("prints one object with --json, with the stored text", async () => {
    const command = piped(...sendArgs(say("One."), stop("end_turn")), "--json");
    expect(await command.code).toBe(0);
    expect(JSON.parse(command.stdout())).toMatchObject({
      jsonVersion: 1,
      sessionId: sessionId,
      run: { status: "completed", stopReason: "end_turn", provider: "scripted" },
      text: "One.",
    });
  });

  it("continues in the same run after the server was killed, without losing or repeating a word (D4, P2, P4)", async () => {
    const whileAway = path.join(folder, "while-away");
    const after = path.join(folder, "after");
    const command = piped(
      ...sendArgs(
        say("One "),
        say("two "),
        waitFor(whileAway),
        say("three "),
        waitFor(after),
        say("four."),
      ),
    );
    await command.shows("two ");
    await restart({ meanwhile: () => writeFileSync(whileAway, "") });
    await command.shows("three ");
    writeFileSync(after, "");
    expect(await command.code).toBe(0);
    expect(command.stdout()).toBe("One two three four.\n");
    expect(command.screen()).toMatch(/Reconnecting…\n(?:.*\n)*Connected again\.\n/u);
    expect(command.screen()).not.toContain("Interrupted");
    const { runs } = await client.sessions.runs(sessionId);
    expect(runs.map(({ status }) => status)).toEqual(["completed"]);
  });

  it("reports the run that was interrupted together with the server, without losing or repeating a word (P2, P4)", async () => {
    await restart({ signal: "SIGTERM", meanwhile: () => configure({ host: "inside" }) });
    onTestFinished(() => restart({ signal: "SIGTERM", meanwhile: () => configure({}) }));
    const command = piped(...sendArgs(say("One "), say("two."), waitFor("never")));
    await command.shows("two.");
    await restart();
    expect(await command.code).toBe(2);
    expect(command.stdout()).toBe("One two.\n");
    expect(command.screen()).toMatch(
      /Reconnecting…\n(?:.*\n)*Connected again\.\n(?:.*\n)*— Interrupted/u,
    );
  });
});

describe("watch with pipes", () => {
  it("prints one event per line from a sequence number on, until the session is archived (C7)", async () => {
    await client.sessions.send(sessionId, { text: script(say("Hello")) });
    const { messages } = await until(
      ({ state, messages: all }) => state === "idle" && all.length > 1,
    );
    const command = piped("watch", sessionId, "--data", server.data, "--json", "--since", "0");
    await command.shows('"type":"session"');
    await client.sessions.archive(sessionId);
    expect(await command.code).toBe(0);
    const events = command
      .stdout()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; data: unknown });
    expect(events.filter(({ type }) => type === "message").map(({ data }) => data)).toEqual(
      messages,
    );
    expect(events.at(-1)).toMatchObject({ type: "session", data: { status: "archived" } });
  });

  it("shows new messages", async () => {
    const command = piped("watch", sessionId, "--data", server.data);
    await command.shows("Watching");
    await client.sessions.send(sessionId, { text: script(say("Hello")) });
    await command.shows("\n\nHello");
    await client.sessions.delete(sessionId);
    expect(await command.code).toBe(0);
  });
});

describe("at a terminal", () => {
  beforeAll(needTerminal);

  it("shows a whole permission request, and accepts a key (C3, P7)", async () => {
    const command = inTty(sendArgs(say("May I?"), PERMISSION));
    await command.shows("$ rm -rf build");
    await command.shows(KEYS);
    await press(command, { keys: "1", shown: "→ Allow" });
    await command.shows("answer: allow");
    expect(await command.code).toBe(0);
    expect(command.screen()).toMatch(LINE_MODE);
  });

  it("rejects with Escape, and ignores Enter (P7)", async () => {
    const command = inTty(sendArgs(PERMISSION));
    await command.shows(KEYS);
    await press(command, { keys: "\r\u001B", shown: "→ Reject" });
    await command.shows("answer: reject");
    expect(await command.code).toBe(0);
  });

  it("asks a question and accepts a line", async () => {
    const question = { question: "Which database?", options: ["SQLite", "PostgreSQL"] };
    const command = inTty(sendArgs(mcp("ask_human", question), say("waiting")));
    await command.shows("2\u001B[39m PostgreSQL");
    await command.shows("> ");
    command.type("2\r");
    await command.shows("→ PostgreSQL");
    await command.shows("The answer: PostgreSQL");
    expect(await command.code).toBe(0);
  });

  it("reports that the request was answered elsewhere, and continues", async () => {
    const command = inTty(sendArgs(PERMISSION));
    await command.shows(KEYS);
    const { suspensions } = await client.suspensions();
    const suspensionId = suspensions[0]?.id ?? "";
    await client.sessions.answer(sessionId, { suspensionId, answer: "reject" });
    await command.shows("→ answered elsewhere");
    await command.shows("answer: reject");
    expect(await command.code).toBe(0);
    expect(command.screen()).toMatch(LINE_MODE);
  });

  it("accepts the answer to a request from before the server was killed (C3)", async () => {
    const command = inTty(sendArgs(PERMISSION));
    await command.shows(KEYS);
    await restart();
    await until(({ suspension }) => suspension !== null);
    await press(command, { keys: "1", shown: "→ Allow" });
    await command.shows("answer: allow");
    expect(await command.code).toBe(0);
  });

  it("detaches with Ctrl-C, and the run continues", async () => {
    const file = path.join(folder, "go");
    const command = inTty(sendArgs(say("started"), waitFor(file), say("done", "m2")));
    await command.shows("started");
    command.type("\u0003");
    await command.shows(`Follow it with: holdfast watch ${sessionId}`);
    expect(await command.code).toBe(130);
    writeFileSync(file, "");
    const { messages } = await until(({ state }) => state === "idle");
    expect(messages.at(-1)?.content["text"]).toBe("done");
  });

  it("cancels with a second Ctrl-C, even during a question, and restores the terminal", async () => {
    const command = inTty(sendArgs(PERMISSION));
    await command.shows(KEYS);
    command.type("\u0003");
    await command.shows("Press Ctrl-C again to cancel it.");
    // Not earlier, because two simultaneous signals count as one.
    command.type("\u0003");
    await command.shows("Cancelled.");
    expect(await command.code).toBe(2);
    expect(command.screen()).toMatch(LINE_MODE);
    const { messages } = await until(({ state }) => state === "idle");
    expect(messages.at(-1)?.content).toMatchObject({ notice: "run_cancelled" });
  });

  it("prints Markdown with styles, and no control characters of the agent", async () => {
    const command = inTty(sendArgs(say("# Title\n**bold** and \u001B[2J")));
    await command.shows("\u001B[1m Title\u001B[22m\n\u001B[1mbold\u001B[22m and ␛[2J");
    expect(await command.code).toBe(0);
  });
});
