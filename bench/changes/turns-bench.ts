import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openSandbox } from "../../packages/server/src/providers/sandbox/sandbox.ts";
import { openBenchFolder, type BenchFolder } from "../bench-folder.ts";
import {
  createSession,
  deleteSession,
  openSession,
  type BenchSession,
} from "../floor/bench-session.ts";
import { holdfastContender, type Running } from "../floor/contender.ts";
import { openConnection, requestJson } from "../floor/raw-http.ts";
import { watchMachine, type Noise } from "../machine.ts";
import { copyProgram } from "../server-process.ts";
import { fillRepository } from "./fill-repository.ts";

export interface TurnsBenchOptions {
  /** Messages to each session. Every other one changes files. */
  readonly messages: number;
}

/** Milliseconds of each message. */
export interface TurnTimes {
  readonly toAgentMs: number[];
  /** From the last word of the agent until a client knows that the run has ended. */
  readonly toEndMs: number[];
  readonly toEndOfChangeMs: number[];
}

/** The times of sessions in different folders, in the order of `TURN_FOLDERS`. */
export interface TurnsOfServer {
  readonly isSandboxed: boolean;
  readonly folders: readonly TurnTimes[];
}

export interface TurnsFigures {
  readonly servers: readonly TurnsOfServer[];
  readonly messages: number;
  readonly touched: number;
  readonly noise: Noise;
}

/** Null: a folder in which Git cannot work, so that there are no snapshots. */
export const TURN_FOLDERS = [null, 200, 10_000] as const satisfies readonly (number | null)[];
const TOUCHED = 3;
/** Messages until programs are compiled and caches are warm. */
const WARM_UP = 10;
/** What a server does after a run must not fall into the next measurement. */
const BETWEEN_MS = 40;

/** Messages to live agents in folders with and without snapshots, in turns, without and with a sandbox. */
export async function benchTurns({ messages }: TurnsBenchOptions): Promise<TurnsFigures> {
  const folder = openBenchFolder();
  const machine = watchMachine();
  try {
    const program = copyProgram(folder.newFolder("program"));
    const servers: TurnsOfServer[] = [];
    for (const isSandboxed of (await hasSandbox()) ? [false, true] : [false]) {
      await machine.sample();
      const folders = await measureServer({ folder, program, isSandboxed, messages });
      servers.push({ isSandboxed, folders });
    }
    await machine.sample();
    return { servers, messages, touched: TOUCHED, noise: machine.noise() };
  } finally {
    folder.remove();
  }
}

async function measureServer({
  folder,
  program,
  isSandboxed,
  messages,
}: TurnsBenchOptions & {
  readonly folder: BenchFolder;
  readonly program: string;
  readonly isSandboxed: boolean;
}): Promise<readonly TurnTimes[]> {
  const own = folder.newFolder(isSandboxed ? "sandboxed" : "plain");
  const sandbox = isSandboxed ? "auto" : "off";
  const running = await holdfastContender({ folder: own, program, sandbox }).start();
  try {
    const sessions: { readonly session: BenchSession; readonly times: TurnTimes }[] = [];
    for (const files of TURN_FOLDERS) {
      const session = await openIn(running, path.join(own, "root"), files);
      sessions.push({ session, times: { toAgentMs: [], toEndMs: [], toEndOfChangeMs: [] } });
    }
    for (let index = -WARM_UP; index < messages; index += 1) {
      const isChange = index % 2 !== 0;
      for (const at of sessions.keys()) {
        // Each folder is the first in turn.
        const found = sessions[(at + Math.abs(index)) % sessions.length];
        if (found === undefined) continue;
        const { session, times } = found;
        const text = `@stamp 1 0${isChange ? ` @files ${TOUCHED}` : ""}`;
        const { sentAt, readAt, endedAt } = await session.send(text);
        const lastAt = session.stamps.at(-1)?.wroteAt ?? 0n;
        await pause(BETWEEN_MS);
        if (index < 0) continue;
        times.toAgentMs.push(msBetween(sentAt, readAt));
        (isChange ? times.toEndOfChangeMs : times.toEndMs).push(msBetween(lastAt, endedAt));
      }
    }
    for (const { session } of sessions) {
      session.close();
      await deleteSession(running, session.id);
    }
    return sessions.map(({ times }) => times);
  } finally {
    await running.kill();
  }
}

/** A session with a live agent in a folder with so many files. */
async function openIn(
  running: Running,
  root: string,
  files: (typeof TURN_FOLDERS)[number],
): Promise<BenchSession> {
  const newSession = { ...running.newSession };
  if (files !== null) {
    const name = `files-${files}`;
    mkdirSync(path.join(root, name));
    fillRepository(path.join(root, name), files);
    const connection = await openConnection(running.url);
    const { id } = await requestJson<{ readonly id: string }>(connection, {
      method: "POST",
      path: "/api/repos",
      body: { path: name },
    });
    connection.close();
    newSession["repoId"] = id;
  }
  return openSession(running, await createSession({ ...running, newSession }));
}

async function hasSandbox(): Promise<boolean> {
  const { state } = await openSandbox({
    mode: "auto",
    environment: process.env,
    dataFolder: tmpdir(),
  });
  return state.active;
}

function msBetween(start: bigint, end: bigint): number {
  return Number(end - start) / 1e6;
}
