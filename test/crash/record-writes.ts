import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  ask,
  flood,
  say,
  script,
  tool,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { createHistory } from "../cluster/history.ts";
import { openWatcher, type Watcher } from "../cluster/watcher.ts";
import { CrashRig } from "./crash-rig.ts";
import { traceWrites, type TracedCall } from "./trace-writes.ts";

/** The system calls of a server while it accepted messages and agents streamed, and its files before and after. */
export interface Recording {
  readonly before: ReadonlyMap<string, Buffer>;
  readonly after: ReadonlyMap<string, Buffer>;
  readonly calls: readonly TracedCall[];
  readonly sessions: readonly string[];
}

const FILES = ["holdfast.db", "holdfast.db-wal"];
const STREAMING_SESSIONS = 3;
const RUNS_EACH = 3;
const DONE_WITHIN_MS = 200_000;
/** Changing this many rows makes the server checkpoint its write-ahead log and restart it. */
const ROWS_TO_CHECKPOINT = 21_000;

/**
 * Fills a queue with messages while agents stream, use tools and ask. Deletes a large session, and finally stops
 * the server.
 */
export async function recordWrites(traceFile: string, messages: number): Promise<Recording> {
  const rig = await CrashRig.open();
  try {
    if (!(await rig.start())) throw new Error(`the server does not start: ${rig.output}`);
    const streaming = await Promise.all(
      Array.from({ length: STREAMING_SESSIONS }, () => rig.createSession("scripted")),
    );
    const queue = await rig.createSession("scripted");
    const large = await rig.createSession("scripted");
    enlarge(rig.database, large.id);
    const history = createHistory(0);
    const watchers = await Promise.all(
      streaming.map(({ id, repo }) =>
        openWatcher(history, { client: repo, sessionId: id, choose: () => rig }),
      ),
    );
    const trace = await traceWrites(rig.pid, traceFile);
    // This change is synced, and with it everything before it.
    await rig.client.sessions.update(queue.id, { delivery: "hold" });
    const before = readFiles(rig.data);
    await Promise.all([
      fillQueue(rig, { id: queue.id, messages, large: large.id }),
      ...watchers.map((watcher) => streamRuns(rig, watcher)),
    ]);
    await rig.stop();
    await Promise.all(watchers.map((watcher) => watcher.stop()));
    const after = readFiles(rig.data);
    return {
      before,
      after,
      calls: await trace.calls,
      sessions: [queue, ...streaming].map(({ id }) => id),
    };
  } finally {
    await rig.close();
  }
}

function readFiles(folder: string): ReadonlyMap<string, Buffer> {
  const files = FILES.map((name) => path.join(folder, name)).filter((file) => existsSync(file));
  return new Map(files.map((file) => [file, readFileSync(file)]));
}

function enlarge(file: string, sessionId: string): void {
  const raw = new DatabaseSync(file, { timeout: 100_000 });
  raw
    .prepare(
      `with recursive "n"("i") as (select 1 union all select "i" + 1 from "n" where "i" < ${ROWS_TO_CHECKPOINT})
       insert into "SessionEvent" ("sessionId", "seq", "kind", "at", "data")
       select ?, 1000 + "i", 'event', 0, '{}' from "n"`,
    )
    .run(sessionId);
  raw.close();
}

async function fillQueue(
  { client }: CrashRig,
  {
    id,
    messages,
    large,
  }: { readonly id: string; readonly messages: number; readonly large: string },
): Promise<void> {
  for (let n = 0; n < messages; n += 1) {
    if (n === Math.floor(messages / 2)) await client.sessions.delete(large);
    await client.sessions.send(id, { text: `message ${n}` });
  }
}

async function streamRuns({ client }: CrashRig, { view }: Watcher): Promise<void> {
  const id = view.sessionId;
  const steps: readonly Step[] = [
    say("first. "),
    tool({ id: "t1", title: "Look", kind: "read", ends: "completed" }),
    flood({ perSecond: 200, seconds: 0.5, text: "word " }),
    ask({ id: "t2", title: "make" }),
    flood({ count: 500, text: "fast " }),
  ];
  for (let n = 0; n < RUNS_EACH; n += 1) {
    const { message } = await client.sessions.send(id, { text: script(...steps) });
    await until(() => view.session.suspensions.length > 0);
    for (const { id: suspensionId } of view.session.suspensions)
      await client.sessions.answer(id, { suspensionId, answer: "allow" });
    await until(
      () =>
        view.session.state === "idle" &&
        view.session.messages.some((each) => each.id === message.id),
    );
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + DONE_WITHIN_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("timed out while recording");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
