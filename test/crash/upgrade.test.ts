import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { needProc } from "../../packages/server/src/domain/testing/machine.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { SERVER_TOKEN, TOKEN_ENV } from "../../packages/server/src/http/testing/server-token.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import { say, script, wait, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { createHistory } from "../cluster/history.ts";
import { openWatcher, type Watcher } from "../cluster/watcher.ts";
import { holdfast, prepareFolder, removeFolder } from "../e2e/holdfast-process.ts";
import { markedProcesses } from "../e2e/marked-processes.ts";

const { sessions: SESSIONS, restarts: RESTARTS } = repeat({
  short: { sessions: 4, restarts: 2 },
  long: { sessions: 20, restarts: 10 },
});
/** More than the restarts take, so that all agents talk meanwhile. */
const WORDS = Array.from({ length: RESTARTS * 80 }, (_, index) => `w${index} `);
const WORD_MS = 50;

let folder: string;
let data: string;
let root: string;
let port: number;

beforeEach(async () => {
  needProc();
  const providers = { scripted: { type: "acp", command: scriptedCommand } };
  const limits = { liveAgents: SESSIONS };
  ({ folder, data, root } = prepareFolder({ providers, limits, defaultProvider: "scripted" }));
  port = await freePort();
});
afterEach(async () => {
  await command("down");
  removeFolder(folder);
});

const agents = (): readonly number[] => markedProcesses(MARKER_VARIABLE, root);

function command(...args: readonly string[]): ReturnType<typeof holdfast> {
  return holdfast([...args, "--data", data], { AGENT_WORKSPACE_ROOT: root, ...TOKEN_ENV });
}

const textOf = ({ messages }: WholeSession): string =>
  messages
    .filter(({ role, content }) => role === "agent" && content.type === "text")
    .map(({ content }) => content["text"])
    .join("");

it(`${RESTARTS} restarts while ${SESSIONS} sessions stream leave no gap, repeat no word and interrupt no run (D4)`, async () => {
  expect(await command("up", "--port", String(port))).toMatchObject({ code: 0 });
  const url = `http://127.0.0.1:${port}`;
  const client = createClient({ url, token: SERVER_TOKEN });
  const server = { name: "server", url, client, isUp: true };
  const repo = await client.repos.add({ path: "." });
  const gate = path.join(root, "gate");
  const steps = [...WORDS.flatMap((word) => [say(word), wait(WORD_MS)]), waitFor(gate)];
  const history = createHistory(0);
  const watchers: Watcher[] = [];
  for (let index = 0; index < SESSIONS; index += 1) {
    const { id } = await client.sessions.create({ repoId: repo.id });
    const choose = (): typeof server => server;
    watchers.push(await openWatcher(history, { client: `c${index}`, sessionId: id, choose }));
    await client.sessions.send(id, { text: script(...steps) });
  }
  const hasBegun = ({ view }: Watcher): boolean => textOf(view.session) !== "";
  await expect.poll(() => watchers.every(hasBegun), { timeout: 60_000 }).toBe(true);
  const before = agents();
  for (let time = 0; time < RESTARTS; time += 1) {
    expect(await command("restart")).toMatchObject({ code: 0 });
    await pause(300);
  }
  expect(agents()).toEqual(before);
  writeFileSync(gate, "");
  const isDone = ({ view: { session } }: Watcher): boolean => session.state === "idle";
  await expect
    .poll(() => watchers.every(isDone), { timeout: WORDS.length * WORD_MS + 120_000 })
    .toBe(true);
  await Promise.all(watchers.map((watcher) => watcher.stop()));
  for (const { view } of watchers) {
    const { runs } = await client.sessions.runs(view.sessionId);
    const stored = await client.sessions.get(view.sessionId);
    const ids = view.connections
      .flatMap(({ events }) => events.flatMap(({ event }) => event.id ?? []))
      .map(Number);
    expect({
      status: runs.map(({ status }) => status),
      seen: textOf(view.session),
      stored: textOf(stored),
      isInOrder: ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0)),
      // The sessions work in one folder, which is said once.
      notices: stored.messages.filter(
        ({ role, content }) => role === "system" && content["notice"] !== "folder_shared",
      ),
    }).toEqual({
      status: ["completed"],
      seen: WORDS.join(""),
      stored: WORDS.join(""),
      isInOrder: true,
      notices: [],
    });
    // Each restart cuts every client once.
    expect(view.connections.length).toBeGreaterThan(RESTARTS);
  }
}, 600_000);
