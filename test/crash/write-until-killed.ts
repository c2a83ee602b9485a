/** Creates sessions, sends messages and streams text as fast as it can, and prints everything acknowledged. */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { executeCommand } from "../../packages/server/src/runtime/execute-command.ts";
import { openStore } from "../../packages/server/src/storage/open-store.ts";

const [file = "", round = ""] = process.argv.slice(2);
const store = await openStore({ engine: "sqlite", file }, { clock: Date.now });
const context = { store, newId: randomUUID };
const node = `node-${round}`;
await store.renewLease({ node, ttlMs: 60_000 });

/** Writes synchronously, so that the line is in the pipe before a kill. */
function acknowledge(entry: object): void {
  writeSync(1, `${JSON.stringify(entry)}\n`);
}

async function oneSession(sessionId: string): Promise<void> {
  const at = Date.now();
  const named = {
    title: sessionId,
    provider: null,
    model: null,
    agentName: null,
    purpose: null,
    agentId: null,
  };
  const create = {
    type: "create",
    at,
    id: sessionId,
    repoId: "repo",
    ...named,
    metadata: {},
    forkedFrom: null,
  } as const;
  await executeCommand(context, { sessionId, command: create });
  acknowledge({ session: sessionId });

  const messageId = `${sessionId}-message`;
  const runId = `${sessionId}-run`;
  const start = { provider: "demo", model: null, handed: true };
  const wish = {
    provider: null,
    model: null,
    continuity: "auto",
    delivery: "queue",
    maxQueued: 100,
  } as const;
  await executeCommand(context, {
    sessionId,
    command: { type: "send", at, messageId, runId, ...wish, start },
    extras: { contents: { [messageId]: { type: "text", text: "go on" } } },
  });
  acknowledge({ session: sessionId, message: messageId });

  const claim = await store.claim({ sessionId, node });
  if (!claim.ok) throw new Error(`${sessionId} is owned by ${claim.owner}`);
  const output = { sessionId, runId, at, fence: { node, epoch: claim.epoch }, durable: false };
  const answerId = `${sessionId}-answer`;
  const answer = { id: answerId, role: "agent", content: { type: "text", text: "" } } as const;
  await store.append({ ...output, items: [{ put: "message", message: answer, complete: false }] });
  for (let piece = 1; piece <= 15; piece += 1) {
    await store.append({
      ...output,
      items: [{ put: "text", messageId: answerId, text: `${piece} ` }],
    });
    acknowledge({ session: sessionId, answer: answerId });
  }
}

for (let count = 0; ; count += 4) {
  await Promise.all([0, 1, 2, 3].map((lane) => oneSession(`${round}-${count + lane}`)));
}
