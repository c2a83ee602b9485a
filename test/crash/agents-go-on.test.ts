import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { Run, WholeSession } from "../../packages/protocol/src/index.ts";
import { needProc } from "../../packages/server/src/domain/testing/machine.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { SERVER_TOKEN, TOKEN_ENV } from "../../packages/server/src/http/testing/server-token.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import {
  ask,
  elicit,
  form,
  say,
  script,
  shell,
  tool,
  wait,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { markedProcesses } from "../e2e/marked-processes.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";

const KILLS = Number(process.env["KILLS"] ?? repeat({ short: 8, long: 1_000 }));
const SESSIONS = 3;
/** The server is killed after a random time up to this, which is long enough for every moment of a turn. */
const MAX_LIFE_MS = 900;
const SEED = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

let folder: string;
let root: string;
let port: number;
let server: RunningServer;
let client: Client;

beforeEach(async () => {
  needProc();
  const prepared = prepareFolder({
    providers: { scripted: { type: "acp", command: scriptedCommand } },
    defaultProvider: "scripted",
    agents: { host: "outside", unattendedSeconds: 60 },
  });
  ({ folder, root } = prepared);
  port = await freePort();
  client = createClient({ url: `http://127.0.0.1:${port}`, token: SERVER_TOKEN });
  server = await start();
});
afterEach(async () => {
  await server.end("SIGTERM");
  removeFolder(folder);
});

function start(): Promise<RunningServer> {
  return startHoldfast({
    data: path.join(folder, "data"),
    args: ["--port", String(port)],
    env: { AGENT_WORKSPACE_ROOT: root, ...TOKEN_ENV },
  });
}

/** Numbers from 0 up to 1 that depend on the seed alone. */
function* chances(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

const agents = (): readonly number[] => markedProcesses(MARKER_VARIABLE, root);
const effectsOf = (session: number): string => path.join(root, `effects-${session}`);

/** A turn with all that must not get lost or happen twice. */
function turn(session: number, number: number): { steps: readonly Step[]; text: string } {
  const name = `${number}`;
  const words = ["a", "b", "c", "d", "e"].map((word) => `${word}${name} `);
  return {
    steps: [
      ...words.flatMap((word) => [say(word), wait(15)]),
      tool({ id: `tool-${name}`, title: "Build" }),
      ask({ id: `ask-${name}`, title: `Do ${name}` }),
      shell(`echo ${name} >> ${effectsOf(session)}`),
      say(` f${name} `),
      wait(30),
      elicit(form(`Who? ${name}`, { name: { type: "string" } })),
      say(` g${name} `),
    ],
    text: `${words.join("")}answer: allow f${name} elicited: {"action":"accept","content":{"name":"Ada"}} g${name} `,
  };
}

/** Repeats a request until a server takes it. */
async function insist<Value>(act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Error && "status" in error && Number(error.status) < 500) throw error;
      await pause(30);
    }
  }
}

async function drive(session: number, id: string, isOver: () => boolean): Promise<number> {
  let turns = 0;
  while (!isOver()) {
    turns += 1;
    const text = script(...turn(session, turns).steps);
    const key = `${id}-${turns}`;
    await insist(() => client.sessions.send(id, { text }, { idempotencyKey: key }));
    for (;;) {
      const now = await insist(() => client.sessions.get(id));
      if (now.state === "idle" && (await isSettled(id, turns))) break;
      for (const open of now.suspensions) await answer(id, open);
      await pause(20);
    }
  }
  return turns;
}

async function isSettled(id: string, turns: number): Promise<boolean> {
  const runs = await runsOf(id);
  return runs.length >= turns && runs.every(({ endedAt }) => endedAt !== null);
}

async function runsOf(id: string): Promise<readonly Run[]> {
  const all: Run[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = cursor === undefined ? {} : { cursor };
    const page = await insist(() => client.sessions.runs(id, { limit: 100, ...query }));
    all.push(...page.runs);
    cursor = page.nextCursor;
  }
  return all;
}

async function answer(id: string, { id: suspensionId, kind }: { id: string; kind: string }) {
  const given =
    kind === "permission" ? { optionId: "allow" } : { action: "accept", content: { name: "Ada" } };
  // A server that was killed may have stored the answer.
  await insist(() => client.sessions.answer(id, { suspensionId, answer: given })).catch(() => {});
}

const textOf = ({ messages }: WholeSession): string =>
  messages
    .filter(({ role, content }) => role === "agent" && content.type === "text")
    .map(({ content }) => content["text"])
    .join("");

it(
  `${KILLS} kills of the server at any moment cost no word, no answer and no effect, and repeat none (D4)`,
  async () => {
    const chance = chances(SEED);
    const repo = await client.repos.add({ path: "." });
    const ids = await Promise.all(
      Array.from({ length: SESSIONS }, () => client.sessions.create({ repoId: repo.id })),
    );
    let kills = 0;
    const driving = Promise.all(ids.map(({ id }, index) => drive(index, id, () => kills >= KILLS)));
    /** How many kills each process has lived through. */
    const lived = new Map<number, number>();
    // An agent that has not got its first prompt yet is started again.
    const hasBegun = async ({ id }: { id: string }): Promise<boolean> =>
      textOf(await client.sessions.get(id)) !== "";
    for (const session of ids) while (!(await hasBegun(session))) await pause(20);
    for (; kills < KILLS; kills += 1) {
      await pause(chance.next().value * MAX_LIFE_MS);
      await server.end("SIGKILL");
      for (const pid of agents()) lived.set(pid, (lived.get(pid) ?? 0) + 1);
      server = await start();
    }
    const turns = await driving;
    for (const [index, { id }] of ids.entries()) {
      const numbers = Array.from({ length: turns[index] ?? 0 }, (_, each) => each + 1);
      const session = await client.sessions.get(id);
      const runs = await runsOf(id);
      const tools = session.messages.filter(({ content }) => content.type === "tool");
      expect({
        seed: SEED,
        runs: runs.map(({ status }) => status),
        text: textOf(session),
        effects: existsSync(effectsOf(index)) ? readFileSync(effectsOf(index), "utf8") : "",
        hasOpenTools: tools.some(({ complete }) => !complete),
      }).toEqual({
        seed: SEED,
        runs: numbers.map(() => "completed"),
        text: numbers.map((number) => turn(index, number).text).join(""),
        effects: numbers.map((number) => `${number}\n`).join(""),
        hasOpenTools: false,
      });
    }
    const survivors = [...lived].filter(([, count]) => count === KILLS);
    expect(survivors).toHaveLength(SESSIONS);
  },
  KILLS * 20_000 + 60_000,
);
