import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { createFolderGit, type FolderGit } from "../folder-git.ts";
import type { RawPath } from "../raw-path.ts";
import { actStep } from "./act-step.ts";
import { expectSameChanges, expectWholePatch } from "./expect-changes.ts";
import { openGitWorld, type GitWorld } from "./git-world.ts";
import { plainSnapshots, type PlainSnapshots } from "./plain-snapshots.ts";
import type { Step } from "./random-history.ts";
import { rawFiles, type RawFiles } from "./raw-files.ts";

interface Run {
  readonly world: GitWorld;
  readonly folder: string;
  readonly files: RawFiles;
  readonly plain: PlainSnapshots;
  readonly engine: FolderGit;
  readonly trees: string[];
}

/** Lives through a history, and compares everything with plain Git. */
export async function runHistory(isLinked: boolean, steps: readonly Step[]): Promise<void> {
  const world = openGitWorld();
  try {
    const folder = isLinked ? addWorktree(world) : world.repo;
    const run: Run = {
      world,
      folder,
      files: rawFiles(folder),
      plain: plainSnapshots(world, folder),
      engine: createFolderGit({ dataFolder: world.data, environment: world.env }),
      trees: [],
    };
    for (const step of steps) {
      if (step.do === "snapshot") await checkSnapshot(run);
      else if (step.do === "restore") await checkRestore(run, step);
      else actStep(world, folder, run.files, step);
    }
    await checkSnapshot(run);
    await checkSnapshot(run);
    world.git(["fsck", "--strict", "--no-dangling"], { cwd: folder });
  } finally {
    world.remove();
  }
}

function addWorktree(world: GitWorld): string {
  const folder = path.join(world.root, "linked");
  world.git(["commit", "--quiet", "--allow-empty", "--message=first"]);
  world.git(["worktree", "add", "--quiet", folder]);
  return folder;
}

async function checkSnapshot(run: Run): Promise<string> {
  const { world, folder, engine, plain, trees } = run;
  const wanted = plain.tree(bareNests(run));
  const before = userState(run);
  const ref = { sessionId: "s", name: [String(trees.length)] };
  const { tree, head, tooLarge, isKept } = await engine.snapshot(folder, ref);
  expect(await isKept).toBe(true);
  const after = userState(run);
  expect(listTree(world, tree)).toEqual(listTree(world, wanted));
  expect({ tree, tooLarge, head }).toEqual({ tree: wanted, tooLarge: 0, head: headOf(run) });
  expect(after).toEqual(before);
  const last = trees.at(-1);
  if (last !== undefined) await checkChanges(run, last, tree);
  trees.push(tree);
  return tree;
}

async function checkChanges(
  { world, folder, engine }: Run,
  before: string,
  after: string,
): Promise<void> {
  const trees = { before, after };
  const changes = await engine.changes(folder, trees);
  expectSameChanges(world, trees, changes);
  const patch = await engine.patch(folder, trees, 2 ** 26);
  expectWholePatch(world, trees, patch.bytes);
  for (const file of changes.slice(0, 3)) {
    const { bytes } = await engine.fileDiff(folder, trees, file, 2 ** 26);
    // One file in its own patch: its header is there once.
    const headers = bytes.toString("latin1").match(/^diff --git /gmu) ?? [];
    expect([file.path, headers.length]).toEqual([
      file.path,
      file.change === "type_changed" ? 2 : 1,
    ]);
  }
}

async function checkRestore(run: Run, step: Extract<Step, { do: "restore" }>): Promise<void> {
  const { world, folder, engine, files, plain, trees } = run;
  if (trees.length === 0) return;
  const now = await checkSnapshot(run);
  const target = trees[step.target % trees.length] ?? now;
  const gaps = step.gaps.flatMap((gap): [string, string][] => {
    const [before, after] = trees.slice(gap % trees.length);
    return before === undefined || after === undefined ? [] : [[before, after]];
  });
  const plan = await engine.planRestore(folder, { now, target, gaps, force: step.force });
  const before = files.all();
  const user = userState(run, { withStatus: false });
  await engine.restore(folder, plan);
  const after = files.all();
  expect(userState(run, { withStatus: false })).toEqual(user);

  const kept = plan.kept.map((each) => each.path).toSorted();
  expect(changedPaths(world, plan.result, target).toSorted()).toEqual(kept);
  const inGaps = gaps.flatMap(([from, to]) => changedPaths(world, from, to));
  const tracked = new Set(listTree(world, now).map((line) => line.slice(line.indexOf("\t") + 1)));
  const others = [...before.keys()].filter((name) => !tracked.has(name));
  // Not in a snapshot, changed by others, or said to be kept: they stay byte for byte.
  const still = [...others, ...kept, ...(step.force ? [] : inGaps)];
  expect(pick(after, still)).toEqual(pick(before, still));

  plain.setTree(plan.result);
  const found = changedPaths(world, plan.result, await checkSnapshot(run));
  // Files that were ignored are seen when the rules have changed.
  const nests = [...NESTS, "swap", "a.txt"].filter((name) => files.stat(`${name}/.git`) !== null);
  const seen = new Set([...others, ...nests]);
  expect(found.filter((name) => !seen.has(name))).toEqual([]);
  await engine.finishRestore(folder, plan, { sessionId: "s", name: ["again"] });
  expect(files.all()).toEqual(after);
}

function pick(
  files: ReadonlyMap<string, string>,
  names: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, files.get(name)]));
}

function changedPaths(world: GitWorld, before: string, after: string): readonly RawPath[] {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after];
  const names = world.git(args).toString("latin1").split("\0");
  return names.filter((name) => name !== "") as RawPath[];
}

function listTree(world: GitWorld, tree: string): readonly string[] {
  const lines = world.git(["ls-tree", "-r", "-z", tree]).toString("latin1").split("\0");
  return lines.filter((line) => line !== "");
}

const NESTS = ["nest", "dir/nest", "out/nest"] as const;

/** Repositories inside the folder that have no commit. */
function bareNests({ world, folder, files }: Run): readonly string[] {
  return NESTS.filter(
    (nest) =>
      files.stat(path.dirname(nest))?.isDirectory() === true &&
      files.stat(`${nest}/.git`) !== null &&
      world.tryGit(["rev-parse", "--verify", "--quiet", "HEAD"], {
        cwd: path.join(folder, nest),
      }) !== 0 &&
      // Git would complain about the name of an ignored one.
      world.tryGit(["check-ignore", "--quiet", "--no-index", nest], { cwd: folder }) !== 0,
  );
}

function headOf({ world, folder }: Run): string | null {
  const args = ["rev-parse", "--verify", "--quiet", "HEAD"];
  return world.tryGit(args, { cwd: folder }) === 0 ? world.line(args, { cwd: folder }) : null;
}

/** Everything in Git that is the user's. */
function userState(
  { world, folder }: Run,
  { withStatus = true }: { readonly withStatus?: boolean } = {},
): unknown {
  const cwd = folder;
  const own = world.line(["rev-parse", "--absolute-git-dir"], { cwd });
  const common = path.join(world.repo, ".git");
  const refs = world.line(["for-each-ref", "--format=%(refname) %(objectname)"], { cwd });
  const logs = [path.join(own, "logs"), path.join(common, "logs")].map(readAll);
  return {
    index: readOr(path.join(own, "index")),
    head: readOr(path.join(own, "HEAD")),
    refs: refs.split("\n").filter((line) => !/^$|^refs\/holdfast\//u.test(line)),
    logs,
    config: readOr(path.join(common, "config")),
    inGitFolder: readdirSync(own).toSorted(),
    inCommonFolder: readdirSync(common).toSorted(),
    ...(withStatus && {
      status: statusOf(world, cwd),
    }),
  };
}

/** Plain Git fails where a link is in the place of a submodule. Then it fails afterwards too. */
function statusOf(world: GitWorld, cwd: string): string {
  try {
    return world.git(["status", "--porcelain=v2", "-z"], { cwd }).toString("latin1");
  } catch (error) {
    return String(error);
  }
}

function readAll(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => `${file}\n${readFileSync(file, "latin1")}`);
}

function readOr(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "latin1") : null;
}
