import { writeFileSync } from "node:fs";
import {
  ask,
  script,
  silent,
  update,
  wait,
  waitFor,
} from "../../packages/server/src/providers/testing/script.ts";
import { openRaw } from "../../packages/server/src/storage/testing/raw-database.ts";
import { eventually, type Cluster } from "./cluster.ts";
import { sendUntilAcknowledged } from "./load.ts";
import { roundRobin } from "./watcher.ts";

/** After this time the node itself abandons the write. */
const TAKEN_WITHIN_MS = 6_000;
const BEGUN_WITHIN_MS = 20_000;

/**
 * Delays the writes of a session's owner until another node owns the session. The run waits for an answer while its
 * agent continues to work, so both nodes have the same run, which continues on the other node. Only the ownership of
 * the session distinguishes the two.
 */
export async function holdWritesBack(
  cluster: Cluster,
): Promise<{ readonly id: string; readonly repo: string }> {
  const { history, nodes } = cluster;
  const [first] = nodes;
  if (first === undefined) throw new Error("no nodes");
  const session = await cluster.createSession(first);
  const { id: sessionId, repo } = session;
  const tag = `${repo}/late`;
  const gate = cluster.file(`${repo}-works`);
  const choose = roundRobin(nodes, 0);
  await sendUntilAcknowledged(history, { sessionId, tag, text: workAfter(gate), choose });
  const owner = await cluster.runnerOf(tag, { withinMs: BEGUN_WITHIN_MS });
  const other = nodes.find((node) => node !== owner && node.isUp);
  if (other === undefined) throw new Error("a late write needs two nodes");
  const suspensionId = await eventually(
    async () => (await other.client.sessions.get(sessionId)).suspensions[0]?.id,
    { withinMs: BEGUN_WITHIN_MS, what: "an agent asks" },
  );
  const row = await openRow(cluster, sessionId);
  try {
    const suspended = await row.read();
    writeFileSync(gate, "");
    // Right after a write is stored, the next one has not started: delayed in its middle, it would be rolled back.
    const before = await eventually(async () => isBeyond(suspended.lastSeq, await row.read()), {
      withinMs: BEGUN_WITHIN_MS,
      what: "the agent continues to work",
    });
    owner.breakLink({ mode: "hold" });
    await other.client.sessions.answer(sessionId, { suspensionId, answer: "allow" });
    const newOwnerRow = await eventually(
      async () => {
        const now = await row.read();
        return now.epoch > before.epoch && now;
      },
      { withinMs: TAKEN_WITHIN_MS, what: "another node owns the session" },
    ).catch(() => null);
    if (newOwnerRow !== null)
      history.handovers.push({ sessionId, from: owner.name, lastSeq: newOwnerRow.lastSeq });
  } finally {
    owner.heal();
    await row.close();
  }
  await eventually(async () => (await other.client.sessions.get(sessionId)).state !== "running", {
    withinMs: BEGUN_WITHIN_MS,
    what: "the owner of the run ends it",
  });
  return session;
}

function workAfter(gate: string): string {
  const looks = Array.from({ length: 100 }, (_, n) => [
    update({
      sessionUpdate: "tool_call",
      toolCallId: `late-${n}`,
      title: `Look ${n}`,
      kind: "read",
      status: "completed",
    }),
    wait(150),
  ]);
  const question = ask({ id: "asked", title: "Go on?", isLeft: true });
  return script(question, waitFor(gate), ...looks.flat(), silent());
}

interface Row {
  readonly epoch: number;
  readonly lastSeq: number;
}

function isBeyond(seq: number, row: Row): Row | null {
  return row.lastSeq > seq + 1 ? row : null;
}

async function openRow(
  { databaseUrl }: Cluster,
  sessionId: string,
): Promise<{ read(): Promise<Row>; close(): Promise<void> }> {
  const raw = await openRaw({ engine: "postgres", url: databaseUrl });
  const statement = `select "epoch", "lastSeq" from "AgentSession" where "id" = '${sessionId}'`;
  return {
    read: async () => {
      const [row] = await raw.all(statement);
      return { epoch: Number(row?.["epoch"]), lastSeq: Number(row?.["lastSeq"]) };
    },
    close: () => raw.close(),
  };
}
