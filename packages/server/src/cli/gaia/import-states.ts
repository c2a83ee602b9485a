import type { Store } from "../../storage/store.ts";
import { importState, type StateImport, type StateImported } from "./import-state.ts";
import { readState, stateFolders, type ReadState } from "./read-state.ts";

export interface StatesImport extends StateImport {
  /** A folder such as `.claude/session`, with a folder for each session. */
  readonly folder: string;
  readonly onProgress?: (done: number, total: number) => void;
  /** Stops after the current batches. */
  readonly signal?: AbortSignal;
}

export interface StatesImported {
  /** Folders found; more than the counts below only after `signal` stopped the import. */
  readonly total: number;
  readonly imported: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Files that differ from a session that was not changed. */
  readonly kept: readonly { readonly file: string; readonly reason: string }[];
  /** Cannot be imported. */
  readonly setAside: readonly { readonly file: string; readonly reason: string }[];
}

/** Files per batch: the size of one transaction of the writer thread. */
const BATCH = 256;
/** Batches stored while the next one is read. */
const STORING = 2;

/**
 * Imports every `state.json` in the folder as a session, or updates the session of an earlier import. The files are not
 * changed. The import can be repeated, also after an interruption.
 */
export async function importStates(store: Store, options: StatesImport): Promise<StatesImported> {
  const { folder, onProgress = () => {}, signal } = options;
  const folders = stateFolders(folder);
  const total = folders.length;
  const refuseCopy = copiesAmong(new Set(folders));
  const summary = createSummary();
  const storing: Promise<readonly PromiseSettledResult<Outcome>[]>[] = [];
  const settleFirst = async (): Promise<void> => {
    const settled = (await storing.shift()) ?? [];
    for (const one of settled) if (one.status === "fulfilled") summary.add(one.value);
    onProgress(summary.done(), total);
    // Stored sessions stay; a repeated import finds them.
    const failed = settled.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  };

  for (let start = 0; start < total && signal?.aborted !== true; start += BATCH) {
    const names = folders.slice(start, start + BATCH);
    const batch = names.map((name) => refuseCopy(readState(folder, name)));
    storing.push(storeBatch(store, batch, options));
    if (storing.length > STORING) await settleFirst();
  }
  while (storing.length > 0) await settleFirst();
  return { total, ...summary.result() };
}

interface Outcome {
  readonly file: string;
  readonly outcome: StateImported | { readonly setAside: string };
}

/** Never rejects: failures are among the results. */
async function storeBatch(
  store: Store,
  batch: readonly ReadState[],
  options: StateImport,
): Promise<readonly PromiseSettledResult<Outcome>[]> {
  const names = batch.flatMap((read) => (read.ok ? [read.state.name] : []));
  const search = store.findSessions(names);
  return Promise.allSettled(
    batch.map(async (read): Promise<Outcome> => {
      const sessionIds = await search;
      const { file } = read;
      if (!read.ok) return { file, outcome: { setAside: read.reason } };
      const { state } = read;
      const sessionId = sessionIds.get(state.name) ?? null;
      return { file, outcome: await importState(store, state, sessionId, options) };
    }),
  );
}

/** When two files have the same agent ID, the one in the folder of that name counts. */
function copiesAmong(folders: ReadonlySet<string>): (read: ReadState) => ReadState {
  const taken = new Map<string, string>();
  return (read) => {
    if (!read.ok) return read;
    const { file, folder } = read;
    const { name } = read.state;
    const other = taken.get(name) ?? (folders.has(name) ? name : folder);
    if (other !== folder) return { ok: false, file, reason: `is a copy of ${name} in ${other}` };
    taken.set(name, folder);
    return read;
  };
}

function createSummary() {
  const counts = { imported: 0, updated: 0, unchanged: 0 };
  const kept: StatesImported["kept"][number][] = [];
  const setAside: StatesImported["setAside"][number][] = [];
  return {
    add: ({ file, outcome }: Outcome): void => {
      if (typeof outcome === "string") counts[outcome] += 1;
      else if ("kept" in outcome) kept.push({ file, reason: outcome.kept });
      else setAside.push({ file, reason: outcome.setAside });
    },
    done: (): number =>
      counts.imported + counts.updated + counts.unchanged + kept.length + setAside.length,
    result: (): Omit<StatesImported, "total"> => ({ ...counts, kept, setAside }),
  };
}
