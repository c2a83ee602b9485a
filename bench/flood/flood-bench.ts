import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openBenchFolder } from "../bench-folder.ts";
import {
  createSession,
  openSession,
  sendMessage,
  type BenchSession,
} from "../floor/bench-session.ts";
import type { Running } from "../floor/contender.ts";
import { openConnection, openEvents, requestJson, type Connection } from "../floor/raw-http.ts";
import { figuresOf, type Figures } from "../measure.ts";
import { residentBytesOf, untilQuiet } from "../process-stat.ts";
import { startServer } from "../server-process.ts";

/** What the flooding agent writes without end. */
export const FLOODS = {
  calls: "tool calls",
  voices: "thought and answer in turns",
  text: "one long answer",
  lines: "lines of 8 MB",
  outputs: "tool output of 8 MB, replaced",
  stderr: "errors on stderr",
  questions: "requests for permission",
} as const;
export type Flood = keyof typeof FLOODS;
const ALL_FLOODS = Object.keys(FLOODS).filter((key): key is Flood => key in FLOODS);

/** What four other sessions notice. */
export interface Noticed {
  readonly acknowledged: Figures;
  readonly turn: Figures;
}

export interface FloodResult {
  readonly flood: Flood;
  readonly quiet: Noticed;
  readonly flooded: Noticed;
  /** Growth of the server's memory at its peak. */
  readonly grownBytes: number;
  /** From the cancel until the run has ended. */
  readonly cancelMs: number;
}

const QUIET_SESSIONS = 4;
/** A turn begins this long after the one before ended, so that the sessions do not flood themselves. */
const PAUSE_MS = 20;

export async function benchFloods({
  seconds,
  floods = ALL_FLOODS,
}: {
  readonly seconds: number;
  readonly floods?: readonly Flood[];
}): Promise<readonly FloodResult[]> {
  const results: FloodResult[] = [];
  // Each flood gets a server of its own, so that one does not leave its memory to the next.
  for (const flood of floods) results.push(await benchFlood(flood, seconds));
  return results;
}

async function benchFlood(flood: Flood, seconds: number): Promise<FloodResult> {
  const folder = openBenchFolder();
  const data = folder.newFolder("data");
  const agent = path.join(folder.newFolder("agent"), "flood-agent.mjs");
  const root = folder.newFolder("root");
  mkdirSync(path.join(root, "repo", ".git"), { recursive: true });
  const source = readFileSync(path.join(import.meta.dirname, "flood-agent.ts"), "utf8");
  writeFileSync(agent, stripTypeScriptTypes(source));
  const provider = { type: "acp", command: [process.execPath, agent] };
  writeFileSync(
    path.join(data, "holdfast.config.json"),
    JSON.stringify({ providers: { bench: provider }, defaultProvider: "bench", sandbox: "off" }),
  );
  const server = await startServer(data, { AGENT_WORKSPACE_ROOT: root, AGENT_MAX_SESSIONS: "20" });
  try {
    const running = await withRepository(server);
    const sessions = await Promise.all(
      Array.from({ length: QUIET_SESSIONS }, async () =>
        openSession(running, await createSession(running)),
      ),
    );
    await measureTurns(sessions, 1);
    await untilQuiet(server.pid);
    const before = await measureTurns(sessions, seconds);
    const residentBefore = residentBytesOf(server.pid);
    const flooding = await startFlood(running, flood);
    const memory = watchMemory(server.pid);
    const flooded = await measureTurns(sessions, seconds);
    const cancelMs = await flooding.cancel();
    const peak = memory.stop();
    await untilQuiet(server.pid);
    const after = await measureTurns(sessions, seconds);
    for (const session of sessions) session.close();
    const quiet = {
      acknowledged: figuresOf([...before.acknowledged, ...after.acknowledged]),
      turn: figuresOf([...before.turn, ...after.turn]),
    };
    return {
      flood,
      quiet,
      flooded: { acknowledged: figuresOf(flooded.acknowledged), turn: figuresOf(flooded.turn) },
      grownBytes: peak - residentBefore,
      cancelMs,
    };
  } finally {
    await server.kill();
    folder.remove();
  }
}

async function withRepository(server: { url: string; pid: number }): Promise<Running> {
  const connection = await openConnection(server.url);
  const { id } = await requestJson<{ readonly id: string }>(connection, {
    method: "POST",
    path: "/api/repos",
    body: { path: "repo" },
  });
  connection.close();
  return { ...server, answeredMs: 0, newSession: { repoId: id }, kill: async () => {} };
}

/** Short turns in all sessions at once, one after the other in each. */
async function measureTurns(
  sessions: readonly BenchSession[],
  seconds: number,
): Promise<{ readonly acknowledged: number[]; readonly turn: number[] }> {
  const acknowledged: number[] = [];
  const turn: number[] = [];
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    sessions.map(async (session) => {
      while (performance.now() < end) {
        const start = performance.now();
        const { acknowledgedMs } = await session.send("A short turn, please.");
        turn.push(performance.now() - start);
        acknowledged.push(acknowledgedMs);
        await pause(PAUSE_MS);
      }
    }),
  );
  return { acknowledged, turn };
}

interface Flooding {
  /** Cancels the run. Resolves with the time until it has ended. */
  cancel(): Promise<number>;
}

/** One client watches the flood. */
async function startFlood(running: Running, flood: Flood): Promise<Flooding> {
  const id = await createSession(running);
  const connection = await openConnection(running.url);
  const reader = await openEvents(running.url, `/api/sessions/${id}/events`, () => {});
  await sendMessage(connection, id, `@flood ${flood}`);
  await pause(1_000);
  return {
    cancel: async () => {
      const start = performance.now();
      await requestJson(connection, {
        method: "POST",
        path: `/api/sessions/${id}/cancel`,
        body: {},
      });
      while (!(await hasEnded(connection, id))) await pause(10);
      reader.close();
      connection.close();
      return performance.now() - start;
    },
  };
}

async function hasEnded(connection: Connection, sessionId: string): Promise<boolean> {
  const { runs } = await requestJson<{
    readonly runs: readonly { readonly endedAt: string | null }[];
  }>(connection, { path: `/api/sessions/${sessionId}/runs` });
  return runs.every(({ endedAt }) => endedAt !== null);
}

function watchMemory(pid: number): { stop(): number } {
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, residentBytesOf(pid))), 50);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}
