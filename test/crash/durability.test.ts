import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import { say, script } from "../../packages/server/src/providers/testing/script.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { CrashRig } from "./crash-rig.ts";
import { needTrace } from "./trace-writes.ts";

const MESSAGES = 5;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function openServer(): Promise<{ readonly server: RunningServer; readonly folder: string }> {
  const prepared = prepareFolder({});
  const { folder, data, root } = prepared;
  closers.push(async () => removeFolder(folder));
  mkdirSync(path.join(root, "repo", ".git"), { recursive: true });
  const server = await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root } });
  closers.push(() => server.end("SIGKILL"));
  return { server, folder };
}

/** Resolves when strace is attached to all threads. Returns a function that stops it and reads the trace. */
async function trace(pid: number, file: string): Promise<() => Promise<string>> {
  const calls = "trace=fdatasync,fsync,read,readv,recvfrom,write,writev,sendto,sendmsg";
  const args = ["-f", "-y", "-s", "120", "-e", calls, "-o", file, "-p", String(pid)];
  const child = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  closers.push(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  await new Promise<void>((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("attached")) resolve();
    });
    child.once("exit", () => reject(new Error(`strace: ${output}`)));
  });
  return async () => {
    child.kill("SIGINT");
    await exited;
    return readFileSync(file, "utf8");
  };
}

type Call = "request" | "sync" | "answer";

/** The calls in their order. An interrupted call counts where it ended. */
function callsIn(traced: string, request: string): readonly Call[] {
  const syncing = new Set<string>();
  return traced.split("\n").flatMap((line): Call[] => {
    const [thread = ""] = line.split(" ");
    if (line.includes(request)) return ["request"];
    if (line.includes("HTTP/1.1 2")) return ["answer"];
    if (/f(?:data)?sync\(\d+<[^>]*holdfast\.db-wal>/u.test(line)) {
      if (line.endsWith("= 0")) return ["sync"];
      syncing.add(thread);
    }
    if (/<\.\.\. f(?:data)?sync resumed>.*= 0$/u.test(line) && syncing.delete(thread))
      return ["sync"];
    return [];
  });
}

/** Counts the responses, and those before which the disk was synced since the request. */
function countAnswers(calls: readonly Call[]): {
  readonly answers: number;
  readonly synced: number;
} {
  let isSynced = false;
  let [answers, synced] = [0, 0];
  for (const call of calls) {
    if (call === "request") isSynced = false;
    if (call === "sync") isSynced = true;
    if (call !== "answer") continue;
    answers += 1;
    if (isSynced) synced += 1;
  }
  return { answers, synced };
}

describe("an acknowledged message", () => {
  it("is on disk before the response is sent, as the system calls show (P1)", async () => {
    needTrace();
    const { server, folder } = await openServer();
    const client = createClient(server);
    const repo = await client.repos.add({ path: "repo" });
    const { id } = await client.sessions.create({ repoId: repo.id });
    // A queued message starts no agent, whose output would be synced as well.
    await client.sessions.update(id, { delivery: "hold" });

    const endTrace = await trace(server.pid, path.join(folder, "trace"));
    for (let n = 0; n < MESSAGES; n += 1) await client.sessions.send(id, { text: `message ${n}` });
    for (let n = 0; n < MESSAGES; n += 1) await client.sessions.get(id);
    const traced = await endTrace();
    expect(countAnswers(callsIn(traced, `POST /api/sessions/${id}/messages`))).toMatchObject({
      answers: 2 * MESSAGES,
    });
    const sends = callsIn(traced, `POST /api/sessions/${id}/messages`);
    const untilLastSend = sends.slice(0, nthAnswer(sends, MESSAGES));
    expect(countAnswers(untilLastSend)).toEqual({ answers: MESSAGES, synced: MESSAGES });
    // A read syncs nothing, so the test distinguishes the two.
    const reads = callsIn(traced, `GET /api/sessions/${id}`);
    expect(countAnswers(reads.slice(nthAnswer(reads, MESSAGES)))).toEqual({
      answers: MESSAGES,
      synced: 0,
    });
  });

  it("survives a full disk: sends fail with 507, deletes work, and sends work again once space is free (P1, C5)", async () => {
    const rig = await CrashRig.open({ smallDisk: true });
    closers.push(() => rig.close());
    expect(await rig.start()).toBe(true);
    const { id } = await rig.createSession("scripted");
    const { id: other } = await rig.createSession("scripted");
    const { client } = rig;
    await client.sessions.send(id, { text: script(say("before")) });
    await vi.waitFor(
      async () => expect(await client.sessions.get(id)).toMatchObject({ state: "idle" }),
      { timeout: 200_000, interval: 50 },
    );
    const before = await client.sessions.get(id);
    await vi.waitFor(() => readFileSync(`${rig.database}-reserve`), { timeout: 200_000 });

    const free = rig.fillDisk();
    const large = "x".repeat(900_000);
    // Messages that fit into the database's existing log are still accepted.
    const refused = await (async () => {
      for (;;) await client.sessions.send(other, { text: large });
    })().catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 507, code: "disk_full" });
    expect(await client.sessions.get(id)).toEqual(before);
    expect(await client.sessions.delete(other)).toMatchObject({ id: other });
    await expect(client.sessions.get(other)).rejects.toMatchObject({ status: 404 });
    free();

    await client.sessions.send(id, { text: script(say("after")) });
    await vi.waitFor(
      async () => {
        const { state, messages } = await client.sessions.get(id);
        expect([state, messages.at(-1)?.content["text"]]).toEqual(["idle", "after"]);
      },
      { timeout: 200_000, interval: 50 },
    );
    expect(await rig.stop()).toBe(0);
  });
});

/** The index after the nth answer. */
function nthAnswer(calls: readonly Call[], n: number): number {
  let seen = 0;
  const index = calls.findIndex((call) => call === "answer" && (seen += 1) === n);
  return index + 1;
}
