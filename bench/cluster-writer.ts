/** Appends pieces of text to its own sessions as fast as possible, as one node. */
import { randomUUID } from "node:crypto";
import { openStore } from "../packages/server/src/storage/open-store.ts";
import { beginSession } from "../packages/server/src/storage/testing/session-driver.ts";

const { url, sessions, seconds }: { url: string; sessions: number; seconds: number } = JSON.parse(
  process.argv[2] ?? "{}",
);
const node = randomUUID();
const store = await openStore({ engine: "postgres", url }, { clock: Date.now });
await store.renewLease({ node, ttlMs: (seconds + 30) * 1_000 });

const repo = { id: node, path: `/bench/${node}`, name: "bench", createdAt: Date.now() };
const { id: repoId } = await store.addRepo(repo);

const writers = await Promise.all(
  Array.from({ length: sessions }, async () => {
    const session = await beginSession(store, { repoId });
    const sent = await session.run("go on");
    const fence = await session.claim(node);
    const answer = {
      id: randomUUID(),
      role: "agent",
      content: { type: "text", text: "" },
    } as const;
    await session.put(sent, { put: "message", message: answer, complete: false });
    const output = { sessionId: session.id, runId: sent.runId, fence, durable: false };
    const piece = { put: "text", messageId: answer.id, text: "a few words " } as const;
    return () => store.append({ ...output, at: Date.now(), items: [piece] });
  }),
);

process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
const startUsage = process.cpuUsage();
const end = performance.now() + seconds * 1_000;
const counts = await Promise.all(
  writers.map(async (append) => {
    let count = 0;
    for (; performance.now() < end; count += 1) {
      const result = await append();
      if (!result.ok) throw new Error(`refused: ${result.refused}`);
    }
    return count;
  }),
);
const { user, system } = process.cpuUsage(startUsage);
const appended = counts.reduce((sum, count) => sum + count, 0);
process.stdout.write(`${JSON.stringify({ appended, cpuMs: (user + system) / 1_000 })}\n`);
await store.close();
process.exit(0);
