import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { executeCommand } from "../../packages/server/src/runtime/execute-command.ts";
import { openStore } from "../../packages/server/src/storage/open-store.ts";
import { seeded } from "../cluster/faults.ts";
import { LOSSES, PowerlessDisk, type Loss } from "./disk-after-power-loss.ts";
import { checkIntegrity, replayDifference } from "./read-file-stored.ts";
import type { Recording } from "./record-writes.ts";

/** The results of power losses at many moments. */
export interface PowerLosses {
  readonly moments: number;
  /** Moments with unsynced writes. */
  readonly unsynced: number;
  /** Sessions that lost output which clients may have been shown. */
  readonly lostOutput: number;
  /** Number of messages and ends of runs that clients were told of. */
  readonly confirmed: { readonly messages: number; readonly ends: number };
  readonly wrong: readonly string[];
}

export interface LossOptions {
  readonly folder: string;
  readonly seed: number;
  /** Random moments, in addition to one after each response. */
  readonly atRandom: number;
}

/** The messages and ends of runs that clients were told of and can rely on. */
interface Confirmed {
  readonly messages: Set<string>;
  /** Final status of runs by ID. */
  readonly ends: Map<string, string>;
}

/** Replays the recording and checks, at many moments, what a power loss would leave on disk. */
export async function losePower(
  { before, after, calls, sessions }: Recording,
  { folder, seed, atRandom }: LossOptions,
): Promise<PowerLosses> {
  const random = seeded(seed);
  const disk = new PowerlessDisk(before);
  const confirmed: Confirmed = { messages: new Set(), ends: new Map() };
  const changing = calls.filter((call) => call.call !== "send" && disk.has(call.file)).length;
  const wrong: string[] = [];
  let [moments, unsynced, lostOutput] = [0, 0, 0];
  const lose = async (loss: Loss): Promise<void> => {
    moments += 1;
    if (disk.pending > 0) unsynced += 1;
    const written = disk.pending === 0 ? NOTHING : lastNumbers(allFiles(disk, folder, random));
    const file = writeFiles(folder, disk.afterPowerLoss(loss, random));
    const lost = disk.pending === 0 ? [] : lostIn(lastNumbers(file), written);
    lostOutput += lost.length;
    const errors = [
      ...(await errorsIn(file, { confirmed, sessions })),
      ...(await usedAgain(file, lost)),
    ];
    wrong.push(...errors.map((error) => `moment ${moments}, ${loss}: ${error}`));
  };
  for (const call of calls) {
    if (call.call === "send") {
      if (recordConfirmed(call.text, confirmed)) await lose(pick(random));
    } else if (disk.has(call.file)) {
      disk.do(call);
      if (random() < atRandom / changing) await lose(pick(random));
    }
  }
  if (!isDeepStrictEqual(disk.afterPowerLoss("all of it", random), after))
    wrong.push("the trace lacks some writes");
  const { messages, ends } = confirmed;
  const told = { messages: messages.size, ends: ends.size };
  return { moments, unsynced, lostOutput, confirmed: told, wrong };
}

function pick(random: () => number): Loss {
  return LOSSES[Math.floor(random() * LOSSES.length)] ?? "nothing of it";
}

/** Records the messages and ends of runs in a response. Returns whether there were new ones. */
function recordConfirmed(text: string, { messages, ends }: Confirmed): boolean {
  const before = messages.size + ends.size;
  const messageId = /^HTTP\/1\.1 2\d\d .*?"message":\{"id":"([^"]+)"/su.exec(text)?.[1];
  if (messageId !== undefined) messages.add(messageId);
  for (const [, data = ""] of text.matchAll(/^event: run\ndata: (.*)$/gmu)) {
    const run: { readonly id: string; readonly status: string; readonly endedAt: unknown } =
      JSON.parse(data);
    if (run.endedAt !== null) ends.set(run.id, run.status);
  }
  return messages.size + ends.size > before;
}

/** Returns the path of the database. */
function writeFiles(folder: string, files: ReadonlyMap<string, Buffer>): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, bytes] of files) writeFileSync(path.join(folder, path.basename(name)), bytes);
  return path.join(folder, "holdfast.db");
}

async function errorsIn(
  file: string,
  { confirmed, sessions }: { readonly confirmed: Confirmed; readonly sessions: readonly string[] },
): Promise<readonly string[]> {
  const store = await openStore({ engine: "sqlite", file }, { clock: Date.now, ownThread: false });
  try {
    const errors = checkIntegrity(file).map((error) => `the file: ${error}`);
    for (const id of sessions) {
      const difference = await replayDifference(store, id);
      if (difference !== null) errors.push(`row and log of ${id}: ${difference}`);
    }
    return [...errors, ...missing(file, confirmed)];
  } finally {
    await store.close();
  }
}

/** The last sequence number of each session that has a run at work: only such a session has output that is not synced. */
function lastNumbers(file: string): ReadonlyMap<string, number> {
  const raw = new DatabaseSync(file);
  try {
    const rows = raw.prepare(
      `select "id", "lastSeq" from "AgentSession" where "id" in (select "sessionId" from "Run" where "status" = 'running')`,
    );
    return new Map(rows.all().map(({ id, lastSeq }) => [String(id), Number(lastSeq)]));
  } finally {
    raw.close();
  }
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** The database if nothing were lost: clients may have been shown all of it. */
function allFiles(disk: PowerlessDisk, folder: string, random: () => number): string {
  return writeFiles(folder, disk.afterPowerLoss("all of it", random));
}

/** A session that lost output, and the numbers between which it was. */
interface LostOutput {
  readonly sessionId: string;
  readonly kept: number;
  readonly written: number;
}

function lostIn(
  kept: ReadonlyMap<string, number>,
  written: ReadonlyMap<string, number>,
): readonly LostOutput[] {
  return [...kept].flatMap(([sessionId, lastSeq]) => {
    const shown = written.get(sessionId) ?? 0;
    return lastSeq < shown ? [{ sessionId, kept: lastSeq, written: shown }] : [];
  });
}

/** Cuts the runs off as a starting server does. No number that was written before the loss may be given again. */
async function usedAgain(file: string, lost: readonly LostOutput[]): Promise<readonly string[]> {
  if (lost.length === 0) return [];
  const store = await openStore({ engine: "sqlite", file }, { clock: Date.now, ownThread: false });
  const wrong: string[] = [];
  try {
    for (const { sessionId, kept, written } of lost) {
      const at = Date.now();
      const command = [
        { type: "suspend", at, cause: "crash" },
        { type: "come-back", at, obstacle: null },
      ] as const;
      await executeCommand({ store, newId: randomUUID }, { sessionId, command });
      const [first] = await store.readEvents({ sessionId, after: kept, limit: 1 });
      if (first === undefined || first.seq <= written)
        wrong.push(`session ${sessionId} had written ${written} and continues with ${first?.seq}`);
    }
    return wrong;
  } finally {
    await store.close();
  }
}

function missing(file: string, { messages, ends }: Confirmed): readonly string[] {
  const raw = new DatabaseSync(file, { readOnly: true });
  try {
    // A waiting message is in the queue. It becomes a message when its run starts.
    const stored = new Set(
      raw
        .prepare(
          `select "id" from "AgentMessage" union all select "messageId" from "QueuedMessage"`,
        )
        .all()
        .map(({ id }) => String(id)),
    );
    const runs = new Map(
      raw
        .prepare(`select "id", "status" from "Run"`)
        .all()
        .map(({ id, status }) => [String(id), String(status)]),
    );
    return [
      ...[...messages].filter((id) => !stored.has(id)).map((id) => `message ${id} is lost`),
      ...[...ends]
        .filter(([id, status]) => runs.get(id) !== status)
        .map(([id, status]) => `run ${id} was ${status} and is now ${runs.get(id) ?? "missing"}`),
    ];
  } finally {
    raw.close();
  }
}
