import { execFile } from "node:child_process";
import { realpathSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { createFolderGit } from "../../packages/server/src/git/folder-git.ts";
import { openBenchFolder } from "../bench-folder.ts";
import { watchMachine, type Noise } from "../machine.ts";
import { fileAt, fillRepository } from "./fill-repository.ts";
import { peakMemoryOf, type PeakMemory } from "./peak-memory.ts";

export interface ChangesBenchOptions {
  readonly files: number;
  readonly turns: number;
}

/** Milliseconds of each turn. */
export interface ChangesFigures {
  readonly files: number;
  readonly touched: number;
  /** The first snapshot of the repository. */
  readonly firstMs: number;
  readonly snapshotMs: readonly number[];
  /** Until a ref keeps it. */
  readonly keptMs: readonly number[];
  readonly statusMs: readonly number[];
  /** The comparison with the snapshot before. */
  readonly changesMs: readonly number[];
  readonly snapshotMemory: PeakMemory;
  readonly statusMemory: PeakMemory;
  readonly noise: Noise;
}

/** Files that a turn changes. */
const TOUCHED = 3;
const WARM_UP = 3;

/** Snapshots of a large repository beside `git status` there, in turns. */
export async function benchChanges({ files, turns }: ChangesBenchOptions): Promise<ChangesFigures> {
  const folder = openBenchFolder();
  const machine = watchMachine();
  try {
    const repo = realpathSync(folder.newFolder("repo"));
    fillRepository(repo, files);
    await machine.sample();
    const git = createFolderGit({
      dataFolder: realpathSync(folder.newFolder("data")),
      environment: process.env,
    });
    const take = (name: string) => git.snapshot(repo, { sessionId: "bench", name: [name] });
    const first = await timed(() => take("first"));
    let before = first.value.tree;
    const [snapshotMs, keptMs, statusMs, changesMs]: number[][] = [[], [], [], []];
    for (let turn = -WARM_UP; turn < turns; turn += 1) {
      touch(repo, { files, turn });
      // Each is the first in every other turn, so that both find the files in the same state.
      const status = turn % 2 === 0 ? await timed(() => readStatus(repo)) : null;
      const startedMs = performance.now();
      const { tree, isKept } = await take(`turn-${turn + WARM_UP}`);
      const takenMs = performance.now();
      if (!(await isKept)) throw new Error("The snapshot is not kept.");
      const doneMs = performance.now();
      const { tookMs } = status ?? (await timed(() => readStatus(repo)));
      const changes = await timed(() => git.changes(repo, { before, after: tree }));
      if (changes.value.length !== TOUCHED) throw new Error("unreachable: other changes");
      before = tree;
      await machine.sample();
      if (turn < 0) continue;
      snapshotMs?.push(takenMs - startedMs);
      keptMs?.push(doneMs - startedMs);
      statusMs?.push(tookMs);
      changesMs?.push(changes.tookMs);
    }
    touch(repo, { files, turn: turns });
    const statusMemory = await peakMemoryOf(() => readStatus(repo));
    const snapshotMemory = await peakMemoryOf(async () => (await take("memory")).isKept);
    return {
      files,
      touched: TOUCHED,
      firstMs: first.tookMs,
      snapshotMs: snapshotMs ?? [],
      keptMs: keptMs ?? [],
      statusMs: statusMs ?? [],
      changesMs: changesMs ?? [],
      snapshotMemory,
      statusMemory,
      noise: machine.noise(),
    };
  } finally {
    folder.remove();
  }
}

/** Changes files in different folders, others each time. */
function touch(repo: string, { files, turn }: { readonly files: number; readonly turn: number }) {
  for (let index = 0; index < TOUCHED; index += 1) {
    const at = (files + turn * 1_013 + index * 37_123) % files;
    writeFileSync(fileAt(repo, at), `changed in turn ${turn}\n`);
  }
}

function readStatus(repo: string): Promise<unknown> {
  return promisify(execFile)("git", ["status", "--porcelain"], { cwd: repo });
}

async function timed<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly tookMs: number; readonly value: Value }> {
  const startedMs = performance.now();
  const value = await work();
  return { tookMs: performance.now() - startedMs, value };
}
