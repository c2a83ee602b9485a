import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { need, needProgram } from "../domain/testing/machine.ts";
import { GitFault } from "./git-fault.ts";
import { openOwnGitFolder } from "./own-git-folder.ts";
import type { Enclose } from "./program/run-program.ts";
import { copyIndex } from "./snapshot/copy-index.ts";
import { SNAPSHOT_LIMITS, takeSnapshot } from "./snapshot/take-snapshot.ts";
import type { GitWorld } from "./testing/git-world.ts";
import { openScene } from "./testing/open-scene.ts";

function namesOf(world: GitWorld, tree: string): readonly string[] {
  const names = world.git(["ls-tree", "-r", "-z", "--name-only", tree]).toString("latin1");
  return names.split("\0").slice(0, -1);
}

function addPipe(file: string): void {
  needProgram("mkfifo", "coreutils");
  spawnSync("mkfifo", [file]);
}

describe("D7 the limits of snapshots", () => {
  it("a file that is too large stays as it was, or out, and is counted", async () => {
    const { world, files } = openScene();
    const own = await openOwnGitFolder(world.repo, {
      dataFolder: world.data,
      environment: world.env,
    });
    const limits = { ...SNAPSHOT_LIMITS, fileBytes: 10 };
    const known = { tree: null };
    files.write("grows", "small\n");
    const first = await takeSnapshot(own, known, { limits });
    files.write("grows", "much too large\n");
    files.write("large", "much too large\n");
    files.write("small", "small\n");
    const second = await takeSnapshot(own, known, { limits });
    expect([first.tooLarge, second.tooLarge]).toEqual([0, 2]);
    expect(namesOf(world, second.tree)).toEqual(["grows", "small"]);
    expect(world.line(["show", `${second.tree}:grows`])).toBe("small");
    expect((await takeSnapshot(own, known, { limits })).tree).toBe(second.tree);
  });

  it("too many files, and too much in them, are a fault; the index stays", async () => {
    const { world, files } = openScene();
    const own = await openOwnGitFolder(world.repo, {
      dataFolder: world.data,
      environment: world.env,
    });
    for (let at = 0; at < 5; at += 1) files.write(`file-${at}`, "12345");
    const few = { ...SNAPSHOT_LIMITS, files: 4 };
    const little = { ...SNAPSHOT_LIMITS, totalBytes: 24 };
    const fault = async (limits: typeof few): Promise<string> =>
      takeSnapshot(own, { tree: null }, { limits }).then(String, String);
    expect(await fault(few)).toMatch(/^GitFault: There are 5 new or changed files, more than/u);
    expect(await fault(little)).toMatch(/^GitFault: .*larger than a snapshot can hold/u);
    expect(namesOf(world, (await takeSnapshot(own, { tree: null })).tree)).toHaveLength(5);
  });

  it("a restoration leaves a file that is too large now", async () => {
    const { world, files, engine, snapshot } = openScene();
    files.write("grows", "one\n");
    files.write("other", "one\n");
    const target = await snapshot("one");
    files.write("grows", "two\n");
    files.write("other", "two\n");
    await snapshot("two");
    truncateSync(path.join(world.repo, "grows"), SNAPSHOT_LIMITS.fileBytes + 1);
    const now = await snapshot("three");
    const plan = await engine().planRestore(world.repo, { now, target, gaps: [], force: false });
    expect(plan.kept).toEqual([{ path: "grows", reason: "in_the_way" }]);
    await engine().restore(world.repo, plan);
    expect(files.stat("grows")?.size).toBe(SNAPSHOT_LIMITS.fileBytes + 1);
    expect(world.line(["hash-object", "other"])).toBe(world.line(["rev-parse", `${target}:other`]));
  });

  it("names of 255 bytes and deep folders are kept and come back", async () => {
    const { world, files, engine, snapshot } = openScene();
    const deep = `${"d".repeat(200)}/`.repeat(15);
    const names = ["ä".repeat(127), `${deep}file`, "\xff".repeat(255)];
    for (const name of names) files.write(name, "one\n");
    const target = await snapshot("one");
    for (const name of names) files.remove(name);
    const now = await snapshot("two");
    const plan = await engine().planRestore(world.repo, { now, target, gaps: [], force: false });
    await engine().restore(world.repo, plan);
    expect([...files.all().keys()].toSorted()).toEqual(names.toSorted());
  });
});

describe("D7 what is not a file", () => {
  it("pipes and sockets are left out, also in the place of a file, and stay", async () => {
    const { world, files, engine, snapshot } = openScene();
    files.write("a", "one\n");
    files.write("b", "one\n");
    const target = await snapshot("one");
    files.remove("a");
    addPipe(path.join(world.repo, "a"));
    addPipe(path.join(world.repo, "pipe"));
    const server = createServer().listen(path.join(world.repo, "socket"));
    onTestFinished(() => void server.close());
    files.write("b", "two\n");
    const now = await snapshot("two");
    expect(namesOf(world, now)).toEqual(["b"]);
    expect(await snapshot("three")).toBe(now);
    const plan = await engine().planRestore(world.repo, { now, target, gaps: [], force: false });
    expect(plan.kept).toEqual([{ path: "a", reason: "in_the_way" }]);
    await engine().restore(world.repo, plan);
    expect([files.stat("a")?.isFIFO(), files.all().get("b")]).toEqual([true, ":one\n"]);
  });

  it("a pipe where Git reads rules or settings is a fault after a time, and others go on", async () => {
    const { world, files, engine } = openScene();
    files.write("a", "one\n");
    const git = engine({ timeoutMs: 1_000 });
    addPipe(path.join(world.repo, ".gitignore"));
    const ref = { sessionId: "s", name: ["x"] };
    await expect(git.snapshot(world.repo, ref)).rejects.toThrow("took too long");
    rmSync(path.join(world.repo, ".gitignore"));
    const { isKept } = await git.snapshot(world.repo, ref);
    expect(await isKept).toBe(true);
    rmSync(path.join(world.repo, ".git", "config"));
    addPipe(path.join(world.repo, ".git", "config"));
    await expect(git.snapshot(world.repo, ref)).rejects.toThrow(GitFault);
  });
});

const SETPRIV = "setpriv";

/** Root may read everything, unless it gives up its capabilities. */
function withoutRights(): Enclose {
  if (process.geteuid?.() !== 0) return (program) => program;
  needProgram(SETPRIV, "util-linux");
  const { status } = spawnSync(SETPRIV, ["--bounding-set=-all", "true"]);
  need(status === 0 ? null : "root cannot give up its capabilities here");
  return (program) => ({
    ...program,
    command: [SETPRIV, "--bounding-set=-all", ...program.command],
  });
}

describe("D7 what cannot be read", () => {
  it("files in a folder that cannot be read stay as they were; a file that cannot be is a fault", async () => {
    const { world, files, engine, snapshot } = openScene();
    const git = engine({ enclose: withoutRights() });
    files.write("closed/a", "one\n");
    files.write("b", "one\n");
    const first = await snapshot("one", git);
    const closed = path.join(world.repo, "closed");
    chmodSync(closed, 0);
    onTestFinished(() => chmodSync(closed, 0o700));
    files.write("b", "two\n");
    const second = await snapshot("two", git);
    expect(world.line(["diff-tree", "--name-only", first, second])).toBe("b");
    chmodSync(closed, 0o700);
    writeFileSync(path.join(world.repo, "secret"), "x", { mode: 0 });
    const ref = { sessionId: "s", name: ["three"] };
    await expect(git.snapshot(world.repo, ref)).rejects.toThrow(/^git .*failed: .*secret/u);
    files.remove("secret");
    expect(await snapshot("four", git)).toBe(second);
  });

  it("a file that changes all the time is taken in one of its states, or is a fault", async () => {
    const { world, files, engine, snapshot } = openScene();
    const states = ["a", "bb", "ccc"].map((each) => each.repeat(300_000));
    const git = engine();
    let isOver = false;
    const writing = (async () => {
      for (let at = 0; !isOver; at += 1) {
        files.write("busy", states[at % 3] ?? "");
        await nextTurn();
      }
    })();
    for (let at = 0; at < 5; at += 1) {
      const outcome = await git.snapshot(world.repo, { sessionId: "s", name: [`${at}`] }).then(
        ({ tree }) => tree.length,
        (error: unknown) => error instanceof GitFault,
      );
      expect([40, true]).toContain(outcome);
    }
    isOver = true;
    await writing;
    const last = world.git(["show", `${await snapshot("last", git)}:busy`]).toString("latin1");
    expect(`:${last}` === files.all().get("busy")).toBe(true);
  });

  it("a repository that is deleted while it is used is a fault of every call, and nothing waits", async () => {
    const { world, files, engine, snapshot } = openScene();
    for (let at = 0; at < 200; at += 1) files.write(`dir/file-${at}`, "one\n");
    const git = engine();
    const tree = await snapshot("one", git);
    files.write("dir/file-0", "two\n");
    const trees = { before: tree, after: tree };
    const calls = Array.from({ length: 6 }, (_, at) => [
      git.snapshot(world.repo, { sessionId: "s", name: [`${at}`] }),
      git.patch(world.repo, trees, 1_000),
    ]).flat();
    const settled = Promise.allSettled(calls);
    rmSync(world.repo, { recursive: true, force: true });
    const faults = (await settled).flatMap((each) =>
      each.status === "rejected" ? [each.reason as unknown] : [],
    );
    expect(faults.filter((fault) => !(fault instanceof GitFault))).toEqual([]);
    await expect(snapshot("two", git)).rejects.toThrow("it is not a Git repository");
    // The folder alone: Git starts nowhere.
    mkdirSync(world.repo);
    await expect(snapshot("three", git)).rejects.toThrow(GitFault);
  });
});

it("D7 an edit of the same size in the second of the last snapshot is noticed", async () => {
  const { world, files, snapshot } = openScene();
  // As if all happened in one second, whatever the machine does meanwhile.
  world.git(["config", "core.trustctime", "false"]);
  const inOneSecond = (): void => {
    utimesSync(path.join(world.repo, "a"), 1_000_000, 1_000_000);
    const { stdout } = spawnSync("find", [world.data, "-name", "index"], { encoding: "utf8" });
    for (const index of stdout.split("\n").filter((line) => line !== ""))
      utimesSync(index, 1_000_000, 1_000_000);
  };
  files.write("a", "one\n");
  inOneSecond();
  await snapshot("one");
  inOneSecond();
  files.write("a", "two\n");
  inOneSecond();
  const tree = await snapshot("two");
  expect(world.line(["show", `${tree}:a`])).toBe("two");
});

it("D7 a copy of an index never looks newer", async () => {
  const { world } = openScene();
  const [index, copy] = [path.join(world.root, "index"), path.join(world.root, "copy")];
  for (let tries = 0; tries < 20; tries += 1) {
    writeFileSync(index, String(tries));
    await copyIndex(index, copy);
    const timeOf = (file: string): bigint => statSync(file, { bigint: true }).mtimeNs;
    expect(timeOf(index) - timeOf(copy)).toBeGreaterThan(0n);
  }
});
