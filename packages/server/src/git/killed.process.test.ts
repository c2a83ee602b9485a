import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { needProc } from "../domain/testing/machine.ts";
import { repeat } from "../domain/testing/repeat.ts";
import type { RestorePlan } from "./restore/plan-restore.ts";
import type { GitWorld } from "./testing/git-world.ts";
import { runEngine, type Cut, type Victims } from "./testing/kill-engine.ts";
import { openScene } from "./testing/open-scene.ts";
import { plainSnapshots } from "./testing/plain-snapshots.ts";
import type { RawFiles } from "./testing/raw-files.ts";

const FILES = 300;
const TRIES = repeat({ short: 5, long: 100 });
const LONG = { timeout: 60 * 60_000 };
const VICTIMS = ["all", "node"] as const satisfies readonly Victims[];

/** Files, and then others in their place: new and old ones, folders, links and rules. */
function writeState(files: RawFiles, state: "old" | "new"): void {
  for (let at = 0; at < FILES; at += 1) {
    const name = `dir-${at % 7}/file-${at}`;
    if (state === "new" && at % 10 === 0) files.remove(name);
    else files.write(name, `${state} ${at}\n`.repeat(100 + (at % 50)));
  }
  files.write("private.env", "never in a snapshot\n");
  files.write(".gitignore", state === "old" ? "*.env\n*.kept\n" : "*.env\n");
  files.remove("swap");
  if (state === "old") {
    files.write("swap", "a file\n");
    files.link("link", "swap");
    files.remove("extra");
  } else {
    files.write("swap/inner", "a folder\n");
    files.write("link", "a file\n");
    files.write("extra/new", "new\n");
  }
}

/** Every file of the user is as it was before or as it is after, or is about to be written. */
function expectBeforeOrAfter(
  found: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  const strange = [...found].filter(([name, content]) => {
    const [old, last] = [before.get(name), after.get(name)];
    // Of the file that Git was writing there may be only the beginning.
    return content !== old && last?.startsWith(content) !== true;
  });
  expect(strange).toEqual([]);
  const untouched = [...before].filter(([name, content]) => after.get(name) === content);
  expect(untouched.filter(([name, content]) => found.get(name) !== content)).toEqual([]);
}

/** Locks that would stop the user's own Git. */
function locksOf(world: GitWorld): readonly string[] {
  const names = readdirSync(path.join(world.repo, ".git"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".lock") && !name.startsWith("refs/holdfast/"));
}

describe.each(VICTIMS)("the process is killed at any moment (%s)", (victims) => {
  it("D7 in a snapshot: nothing is left that stops the next one", LONG, async () => {
    needProc();
    const { world, files, engine } = openScene();
    writeState(files, "old");
    world.git(["add", "-A"]);
    world.git(["commit", "--quiet", "--message=old"]);
    const plain = plainSnapshots(world, world.repo);
    const task = { dataFolder: world.data, folder: world.repo, act: { do: "snapshot" } } as const;
    let { tookMs: wholeMs } = await runEngine(task, world.env, null);
    for (let tries = 0; tries < TRIES; tries += 1) {
      writeState(files, tries % 2 === 0 ? "new" : "old");
      const before = files.all();
      const cut = { afterMs: Math.random() * wholeMs * 1.2, victims };
      const { isDone, tookMs } = await runEngine(task, world.env, cut);
      if (isDone) wholeMs = Math.min(wholeMs, tookMs);
      expect(files.all()).toEqual(before);
      const ref = { sessionId: "s", name: ["cut"] };
      const { tree, isKept } = await engine().snapshot(world.repo, ref);
      expect([tree, await isKept]).toEqual([plain.tree([]), true]);
      expect(locksOf(world)).toEqual([]);
    }
    world.git(["fsck", "--strict", "--no-dangling"]);
  });

  it(
    "D7 in a restoration, and in its end: each file is before or after, and then after",
    LONG,
    async () => {
      needProc();
      const { world, files, engine, snapshot } = openScene();
      writeState(files, "old");
      const target = await snapshot("old");
      files.write("x.kept", "ignored by the old rules only\n");
      const plan = async (): Promise<RestorePlan> => {
        writeState(files, "new");
        const now = await snapshot("new");
        return engine().planRestore(world.repo, { now, target, gaps: [], force: false });
      };
      const first = await plan();
      const before = files.all();
      const taskOf = (what: "restore" | "finish") => ({
        dataFolder: world.data,
        folder: world.repo,
        act: { do: what, plan: first },
      });
      const { tookMs: wholeMs } = await runEngine(taskOf("restore"), world.env, null);
      const after = files.all();
      expect([after.get("x.kept"), after.get("swap")]).toEqual([before.get("x.kept"), ":a file\n"]);
      for (let tries = 0; tries < TRIES; tries += 1) {
        expect((await plan()).result).toBe(first.result);
        expect(files.all()).toEqual(before);
        for (const what of ["restore", "finish"] as const) {
          // Also while Git writes the files: this is the first one.
          const isWriting = (): boolean => files.stat("dir-0/file-0") !== null;
          const cut: Cut =
            tries % 2 === 0
              ? { afterMs: Math.random() * 20, since: isWriting, victims }
              : { afterMs: Math.random() * wholeMs * 1.2, victims };
          await runEngine(taskOf(what), world.env, cut);
          expectBeforeOrAfter(files.all(), before, after);
        }
        await engine().finishRestore(world.repo, first, { sessionId: "s", name: ["found"] });
        expect(files.all()).toEqual(after);
        expect(locksOf(world)).toEqual([]);
      }
      world.git(["fsck", "--strict", "--no-dangling"]);
    },
  );
});

it("D7 an edit between the kill and the end of the restoration stays; a part of a written file does not", async () => {
  const { world, files, engine, snapshot } = openScene();
  for (const name of ["a", "b", "c"]) files.write(name, "one\n");
  const target = await snapshot("one");
  for (const name of ["a", "b", "c"]) files.write(name, "two\n");
  const now = await snapshot("two");
  const plan = await engine().planRestore(world.repo, { now, target, gaps: [], force: false });
  files.write("a", "edit\n");
  files.write("b", "on");
  await engine().finishRestore(world.repo, plan, { sessionId: "s", name: ["found"] });
  const all = files.all();
  expect(["a", "b", "c"].map((name) => all.get(name))).toEqual([":edit\n", ":one\n", ":one\n"]);
  expect(world.line(["show", "refs/holdfast/s/found:b"])).toBe("on");
});

it("D7 a restoration ends where it brought back a file and the rules that ignore it", async () => {
  const { world, files, engine, snapshot } = openScene();
  files.write("z.log", "whole\n");
  await snapshot("first");
  files.write(".gitignore", "*.log\n");
  const target = await snapshot("with rules");
  files.remove(".gitignore");
  files.remove("z.log");
  const now = await snapshot("now");
  const plan = await engine().planRestore(world.repo, { now, target, gaps: [], force: false });
  // As if it had been killed while it wrote the second file.
  files.write(".gitignore", "*.log\n");
  files.write("z.log", "who");
  await engine().finishRestore(world.repo, plan, { sessionId: "s", name: ["found"] });
  expect(files.all().get("z.log")).toBe(":whole\n");
});

it("D7 a restoration that was cut off while it wrote the rules takes nothing in that they ignore", async () => {
  const { world, files, engine, snapshot } = openScene();
  files.write(".gitignore", "*.env\n*.log\n");
  files.write("private.env", "secret\n");
  files.write("a", "one\n");
  const target = await snapshot("one");
  files.write(".gitignore", "*.env\n");
  files.write("a", "two\n");
  const now = await snapshot("two");
  const plan = await engine().planRestore(world.repo, { now, target, gaps: [], force: false });
  // As if it had been killed after Git removed the rules.
  files.remove(".gitignore");
  await engine().finishRestore(world.repo, plan, { sessionId: "s", name: ["found"] });
  expect(files.all().get(".gitignore")).toBe(":*.env\n*.log\n");
  expect(files.all().get("private.env")).toBe(":secret\n");
  expect(world.line(["ls-tree", "--name-only", "refs/holdfast/s/found"])).not.toContain("private");
  expect(await snapshot("after")).toBe(target);
});
