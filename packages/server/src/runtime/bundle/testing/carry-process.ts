import { createHash, randomUUID } from "node:crypto";
import { openStore, type DatabaseLocation } from "../../../storage/open-store.ts";
import type { Store } from "../../../storage/store.ts";
import { exportBundle } from "../export-bundle.ts";
import { importBundle } from "../import-bundle.ts";

/** The JSON argument of the process. Start it with `--expose-gc`. */
export interface CarryOrder {
  readonly sessionId: string;
  /** The session is carried from each database to the next. */
  readonly through: readonly DatabaseLocation[];
}

export interface Carried {
  /** The digest of the history in each database. */
  readonly digests: readonly string[];
  readonly lines: number;
  readonly mebibytes: number;
  /** The peak of the heap above its size at the start. */
  readonly heapMebibytes: number;
  /** The peak of buffers above their size at the start. Buffers of a connection are freed late. */
  readonly buffersMebibytes: number;
  readonly seconds: readonly number[];
}

const MEBI = 1024 * 1024;
/** Lines and parts between two measurements of the memory. */
const LINES_PER_LOOK = 500;
const PARTS_PER_LOOK = 10;

const { sessionId, through }: CarryOrder = JSON.parse(process.argv[2] ?? "");
const clock = Date.now;
const stores = await Promise.all(through.map((location) => openStore(location, { clock })));
const before = inUse();
const most = { ...before };
const digests: string[] = [];
const seconds: number[] = [];
let lines = 0;
let length = 0;

for (const [index, store] of stores.entries()) {
  const begun = performance.now();
  const next = stores[index + 1];
  digests.push(next === undefined ? await readAll(store) : await carry(store, next));
  seconds.push((performance.now() - begun) / 1000);
}
await Promise.all(stores.map((store) => store.close()));

const carried: Carried = {
  digests,
  lines,
  mebibytes: length / MEBI,
  heapMebibytes: (most.heap - before.heap) / MEBI,
  buffersMebibytes: (most.buffers - before.buffers) / MEBI,
  seconds,
};
process.stdout.write(JSON.stringify(carried));

async function carry(from: Store, to: Store): Promise<string> {
  const hash = createHash("sha256");
  let parts = 0;
  const watched: Store = {
    ...to,
    addToImport: (part) => {
      parts += 1;
      if (parts % PARTS_PER_LOOK === 0) look();
      return to.addToImport(part);
    },
  };
  const context = { store: watched, newId: randomUUID, clock };
  const imported = await importBundle(context, linesOf(from, hash));
  if (!imported.ok) throw new Error(imported.refusal.message);
  return hash.digest("hex");
}

async function readAll(from: Store): Promise<string> {
  const hash = createHash("sha256");
  const all = linesOf(from, hash);
  while ((await all.next()).done !== true);
  return hash.digest("hex");
}

async function* linesOf(store: Store, hash: ReturnType<typeof createHash>): AsyncGenerator<string> {
  const exported = await exportBundle({ store, clock }, sessionId);
  if (!exported.ok) throw new Error(exported.refusal.message);
  lines = 0;
  length = 0;
  for await (const line of exported.lines) {
    lines += 1;
    length += line.length;
    if (lines % LINES_PER_LOOK === 0) look();
    // The header, the session and the end depend on the export; the history must not change.
    if (/^\{"type":"(?:run|suspension|message)"/u.test(line)) hash.update(line).update("\n");
    yield line;
  }
}

function look(): void {
  const { heap, buffers } = inUse();
  most.heap = Math.max(most.heap, heap);
  most.buffers = Math.max(most.buffers, buffers);
}

function inUse(): { heap: number; buffers: number } {
  if (globalThis.gc === undefined) throw new Error("not started with --expose-gc");
  globalThis.gc();
  const { heapUsed: heap, external: buffers } = process.memoryUsage();
  return { heap, buffers };
}
