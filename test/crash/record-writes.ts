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

/** What a server did while it took messages and agents spoke, and what its files were before and after. */
export interface Recording {
  readonly before: ReadonlyMap<string, Buffer>;
  readonly after: ReadonlyMap<string, Buffer>;
  readonly calls: readonly TracedCall[];
  readonly sessions: readonly string[];
}

const FILES = ["holdfast.db", "holdfast.db-wal"];
const SPEAKING = 3;
const RUNS_EACH = 3;
const DONE_WITHIN_MS = 60_000;
/** Changing more rows than this makes the server fold its log into the database, and begin the log anew. */
const ROWS_TO_FOLD = 21_000;

/**
 * A queue is filled with so many messages, while agents stream, use tools and ask; a large session is deleted,
 * and in the end the server is stopped.
 */
export async function recordWrites(traceFile: string, messages: number): Promise<Recording> {
  const rig = await CrashRig.open();
  try {
    if (!(await rig.start())) throw new Error(`no server: ${rig.said}`);
    const speaking = await Promise.all(
      Array.from({ length: SPEAKING }, () => rig.createSession("scripted")),
    );
    const queue = await rig.createSession("scripted");
    const large = await rig.createSession("scripted");
    enlarge(rig.database, large.id);
    const history = createHistory(0);
    const watchers = await Promise.all(
      speaking.map(({ id, repo }) =>
        openWatcher(history, { client: repo, sessionId: id, choose: () => rig }),
      ),
    );
    const trace = await traceWrites(rig.pid, traceFile);
    // The last change before is synced, and with it all that came before it.
    await rig.client.sessions.update(queue.id, { delivery: "hold" });
    const before = readFiles(rig.data);
    await Promise.all([
      fillQueue(rig, { id: queue.id, messages, large: large.id }),
      ...watchers.map((watcher) => speak(rig, watcher)),
    ]);
    await rig.stop();
    await Promise.all(watchers.map((watcher) => watcher.stop()));
    const after = readFiles(rig.data);
    return {
      before,
      after,
      calls: await trace.calls,
      sessions: [queue, ...speaking].map(({ id }) => id),
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
  const raw = new DatabaseSync(file, { timeout: 10_000 });
  raw
    .prepare(
      `with recursive "n"("i") as (select 1 union all select "i" + 1 from "n" where "i" < ${ROWS_TO_FOLD})
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

async function speak({ client }: CrashRig, { view }: Watcher): Promise<void> {
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

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + DONE_WITHIN_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error("what was to be recorded did not happen");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
