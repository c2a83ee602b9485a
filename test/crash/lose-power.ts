import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { openStore } from "../../packages/server/src/storage/open-store.ts";
import { seeded } from "../cluster/faults.ts";
import { LOSSES, PowerlessDisk, type Loss } from "./disk-after-power-loss.ts";
import { checkIntegrity, foldDifference } from "./read-file-stored.ts";
import type { Recording } from "./record-writes.ts";

/** What came of losing the power at many moments. */
export interface PowerLosses {
  readonly moments: number;
  /** Moments with writes that no sync had brought to the disk. */
  readonly unsynced: number;
  /** What clients had been told by the end. */
  readonly told: { readonly messages: number; readonly ends: number };
  readonly wrong: readonly string[];
}

export interface LossOptions {
  readonly folder: string;
  readonly seed: number;
  /** How many besides one after each answer. */
  readonly atRandom: number;
}

/** What clients were told so far, and can rely on. */
interface Told {
  readonly messages: Set<string>;
  /** How runs have ended, by their ids. */
  readonly ends: Map<string, string>;
}

/** Goes through what was recorded, and again and again looks at what a loss of power would leave. */
export async function losePower(
  { before, after, calls, sessions }: Recording,
  { folder, seed, atRandom }: LossOptions,
): Promise<PowerLosses> {
  const random = seeded(seed);
  const disk = new PowerlessDisk(before);
  const told: Told = { messages: new Set(), ends: new Map() };
  const changing = calls.filter((call) => call.call !== "said" && disk.has(call.file)).length;
  const wrong: string[] = [];
  let [moments, unsynced] = [0, 0];
  const lose = async (loss: Loss): Promise<void> => {
    moments += 1;
    if (disk.pending > 0) unsynced += 1;
    const file = writeFiles(folder, disk.afterPowerLoss(loss, random));
    const complaints = await complaintsOf(file, { told, sessions });
    wrong.push(...complaints.map((complaint) => `moment ${moments}, ${loss}: ${complaint}`));
  };
  for (const call of calls) {
    if (call.call === "said") {
      if (hear(call.text, told)) await lose(pick(random));
    } else if (disk.has(call.file)) {
      disk.do(call);
      if (random() < atRandom / changing) await lose(pick(random));
    }
  }
  if (!isDeepStrictEqual(disk.afterPowerLoss("all of it", random), after))
    wrong.push("not everything that was written has been recorded");
  const { messages, ends } = told;
  return { moments, unsynced, told: { messages: messages.size, ends: ends.size }, wrong };
}

function pick(random: () => number): Loss {
  return LOSSES[Math.floor(random() * LOSSES.length)] ?? "nothing of it";
}

/** Whether that was something to rely on. */
function hear(text: string, { messages, ends }: Told): boolean {
  const known = messages.size + ends.size;
  const answered = /^HTTP\/1\.1 2\d\d .*?"message":\{"id":"([^"]+)"/su.exec(text)?.[1];
  if (answered !== undefined) messages.add(answered);
  for (const [, data = ""] of text.matchAll(/^event: run\ndata: (.*)$/gmu)) {
    const run: { readonly id: string; readonly status: string; readonly endedAt: unknown } =
      JSON.parse(data);
    if (run.endedAt !== null) ends.set(run.id, run.status);
  }
  return messages.size + ends.size > known;
}

/** Returns the database. */
function writeFiles(folder: string, files: ReadonlyMap<string, Buffer>): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, bytes] of files) writeFileSync(path.join(folder, path.basename(name)), bytes);
  return path.join(folder, "holdfast.db");
}

async function complaintsOf(
  file: string,
  { told, sessions }: { readonly told: Told; readonly sessions: readonly string[] },
): Promise<readonly string[]> {
  const store = await openStore({ engine: "sqlite", file }, { clock: Date.now, ownThread: false });
  try {
    const complaints = checkIntegrity(file).map((complaint) => `the file: ${complaint}`);
    for (const id of sessions) {
      const difference = await foldDifference(store, id);
      if (difference !== null) complaints.push(`row and log of ${id}: ${difference}`);
    }
    return [...complaints, ...missing(file, told)];
  } finally {
    await store.close();
  }
}

function missing(file: string, { messages, ends }: Told): readonly string[] {
  const raw = new DatabaseSync(file, { readOnly: true });
  try {
    // One that waits is in the queue, and becomes a message when its run begins.
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
        .map(([id, status]) => `run ${id} was ${status}, and is ${runs.get(id) ?? "gone"}`),
    ];
  } finally {
    raw.close();
  }
}
