import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { FolderGit } from "./folder-git.ts";
import type { Enclose } from "./program/run-program.ts";
import type { RawPath } from "./raw-path.ts";
import { openScene, type Scene } from "./testing/open-scene.ts";
import { rawFiles } from "./testing/raw-files.ts";

const MAX = 1_000_000;

function diffOf(
  { world, engine }: Scene,
  trees: { readonly before: string; readonly after: string },
  name: string,
  maxBytes = MAX,
): ReturnType<FolderGit["fileDiff"]> {
  return engine().fileDiff(world.repo, trees, { path: name as RawPath, from: null }, maxBytes);
}

describe("D7 the diff of one file", () => {
  it("is there for names that are not UTF-8, and for every other name", async () => {
    const scene = openScene();
    const names = ["\xff\xfe", "dir/\xe9", "new\nline", "tab\there", ":(glob)*", "-p", 'quo"te'];
    for (const name of names) scene.files.write(name, "one\n");
    const before = await scene.snapshot("one");
    for (const name of names) scene.files.write(name, "two\n");
    const after = await scene.snapshot("two");
    const changes = await scene.engine().changes(scene.world.repo, { before, after });
    expect(changes.map(({ path: name, added }) => [name, added])).toEqual(
      names.toSorted().map((name) => [name, 1]),
    );
    for (const name of names) {
      const { patch } = await diffOf(scene, { before, after }, name);
      expect([name, patch.match(/^(?:diff|[-+] ?[a-z]).*$/gmu)?.slice(1)]).toEqual([
        name,
        ["-one", "+two"],
      ]);
    }
  });

  it("contains no other file, also where a folder takes its place", async () => {
    const scene = openScene();
    scene.files.write("swap", "file\n");
    const before = await scene.snapshot("one");
    scene.files.write("swap/in", "folder\n");
    const after = await scene.snapshot("two");
    const { patch } = await diffOf(scene, { before, after }, "swap");
    expect(patch).toMatch(/^diff --git a\/swap b\/swap\ndeleted file mode 100644\n/u);
    expect(patch).not.toContain("folder");
  });

  it("is cut at its limit", async () => {
    const scene = openScene();
    const before = await scene.snapshot("one");
    scene.files.write("long", "line\n".repeat(50_000));
    const after = await scene.snapshot("two");
    const { patch, isCut } = await diffOf(scene, { before, after }, "long", 1_000);
    expect([patch.length, isCut]).toEqual([1_000, true]);
  });
});

describe("D7 objects that Git has removed", () => {
  it("are a clear fault, and the next snapshot has all of them again", async () => {
    const { world, files, engine, snapshot } = openScene();
    const git = engine();
    files.write("a", "one\n");
    const before = await snapshot("one", git);
    files.write("dir/b", "two\n");
    const after = await snapshot("two", git);
    await git.forget(world.repo, "s");
    world.git(["gc", "--quiet", "--prune=now"]);
    const trees = { before, after };
    const file = { path: "a" as RawPath, from: null };
    const request = { now: after, target: before, gaps: [], force: false };
    const calls: readonly (() => Promise<unknown>)[] = [
      () => git.changes(world.repo, trees),
      () => git.patch(world.repo, trees, MAX),
      () => git.fileDiff(world.repo, trees, file, MAX),
      () => git.planRestore(world.repo, request),
      () => git.restore(world.repo, { now: after, result: before }),
      () => git.keep(world.repo, { sessionId: "s", name: ["x"] }, before),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow("is no longer kept");
    // Both the engine that knew the tree and a new one.
    expect(await snapshot("three", git)).toBe(after);
    world.git(["fsck", "--strict"]);
    await git.forget(world.repo, "s");
    world.git(["gc", "--quiet", "--prune=now"]);
    expect(await snapshot("four")).toBe(after);
    world.git(["fsck", "--strict"]);
  });
});

describe("D7 a restoration", () => {
  it("that meets a changed file, or an ignored one in a place that it needs, changes nothing", async () => {
    const { world, files, engine, snapshot } = openScene();
    const git = engine();
    files.write("a", "one\n");
    files.write("b.env", "one\n");
    files.write("dir.env", "one\n");
    const target = await snapshot("one", git);
    for (const name of ["b.env", "dir.env"]) files.remove(name);
    files.write("a", "two\n");
    files.write(".gitignore", "*.env\n");
    const now = await snapshot("two", git);
    const plan = await git.planRestore(world.repo, { now, target, gaps: [], force: false });
    for (const [name, place] of [
      ["b.env", "b.env"],
      ["dir.env", "dir.env/secret"],
    ] as const) {
      files.write(place, "ignored\n");
      await expect(git.restore(world.repo, plan)).rejects.toThrow(`in the place of ${name}`);
      expect(files.all().get(place)).toBe(":ignored\n");
      files.remove(name);
    }
    files.write("a", "new\n");
    await expect(git.restore(world.repo, plan)).rejects.toThrow("changed in the meantime");
    expect(Object.fromEntries(files.all())).toEqual({ ".gitignore": ":*.env\n", a: ":new\n" });
  });

  it("keeps what another snapshot has seen since it was planned", async () => {
    const { world, files, engine, snapshot } = openScene();
    const git = engine();
    files.write("a", "one\n");
    files.write("b", "one\n");
    const target = await snapshot("one", git);
    files.write("a", "two\n");
    const now = await snapshot("two", git);
    const plan = await git.planRestore(world.repo, { now, target, gaps: [], force: false });
    files.write("b", "two\n");
    await snapshot("three", git);
    await git.restore(world.repo, plan);
    const tree = await snapshot("four", git);
    expect([
      world.line(["show", `${tree}:a`]),
      world.line(["show", `${tree}:b`]),
      files.all().get("b"),
    ]).toEqual(["one", "two", ":two\n"]);
  });

  it("leaves files that were ignored at that time, also if the rules are somebody else's", async () => {
    const { world, files, engine, snapshot } = openScene();
    files.write(".gitignore", "*.env\n");
    files.write("x.env", "secret\n");
    const target = await snapshot("one");
    files.write(".gitignore", "\n");
    const middle = await snapshot("two");
    files.write("y.env", "secret\n");
    const now = await snapshot("three");
    const gaps = [[target, middle]] as const;
    const plan = await engine().planRestore(world.repo, { now, target, gaps, force: false });
    expect(plan.kept.map(({ path: name, reason }) => [name, reason])).toEqual([
      [".gitignore", "edited_since"],
      ["x.env", "edited_since"],
      ["y.env", "ignored"],
    ]);
  });
});

describe("D7 calls for one folder", () => {
  it("never overlap, also when more folders are used than are remembered", async () => {
    const { world, engine } = openScene();
    let [running, most] = [0, 0];
    /** Notes how many searches for changed files of the first folder run at once. */
    const enclose: Enclose = (program) => {
      if (program.cwd !== world.repo || program.command[0] !== "sh") return program;
      running += 1;
      most = Math.max(most, running);
      return program;
    };
    const git = engine({ enclose, maxFolders: 1 });
    const others = Array.from({ length: 3 }, (_, at) => path.join(world.root, `other-${at}`));
    for (const folder of others) {
      mkdirSync(folder);
      world.git(["init", "--quiet"], { cwd: folder });
    }
    const files = rawFiles(world.repo);
    const done: Promise<unknown>[] = [];
    for (let at = 0; at < 6; at += 1) {
      files.write(`file-${at}`, `${at}\n`);
      const call = git.snapshot(world.repo, { sessionId: "s", name: [`${at}`] });
      done.push(call.then(() => (running -= 1)));
      for (const folder of others)
        done.push(git.snapshot(folder, { sessionId: "s", name: [`${at}`] }));
    }
    await Promise.all(done);
    expect(most).toBe(1);
  });
});

describe("D7 what was left behind", () => {
  it("a lock of one of our refs is removed after a while; another one is not ours", async () => {
    const { world, files, snapshot, engine } = openScene();
    files.write("a", "one\n");
    await snapshot("one");
    const refs = path.join(world.repo, ".git", "refs", "holdfast", "s");
    writeFileSync(path.join(refs, "one.lock"), "");
    files.write("a", "two\n");
    expect(world.line(["rev-parse", "refs/holdfast/s/one"])).not.toBe(await snapshot("one"));
    const packed = path.join(world.repo, ".git", "packed-refs.lock");
    writeFileSync(packed, "");
    await expect(engine().forget(world.repo, "s")).rejects.toThrow("packed-refs.lock");
    rmSync(packed);
    await engine().forget(world.repo, "s");
    expect(world.line(["for-each-ref"])).toBe("");
  });
});

describe("D7 the user's rules", () => {
  it("count at once when they change, and need not be UTF-8", async () => {
    const { world, files, engine, snapshot } = openScene();
    const git = engine();
    files.write("\xe9.txt", "one\r\n");
    files.write("b.txt", "one\r\n");
    const namesOf = (tree: string): string =>
      world.git(["ls-tree", "-z", "--name-only", tree]).toString("latin1");
    const info = path.join(world.repo, ".git", "info");
    writeFileSync(path.join(info, "exclude"), "\xe9*\n", "latin1");
    expect(namesOf(await snapshot("one", git))).toBe("b.txt\0");
    writeFileSync(path.join(info, "exclude"), "b*\n", "latin1");
    writeFileSync(path.join(info, "attributes"), "*.txt text\n", "latin1");
    const tree = await snapshot("two", git);
    expect(namesOf(tree)).toBe("b.txt\0\xe9.txt\0");
    const blobs = world.git(["ls-tree", "-z", tree]).toString("latin1");
    expect(blobs).toContain(world.line(["hash-object", "--stdin"], { input: "one\n" }));
  });

  it("a repository with SHA-256 works", async () => {
    const { world, files, engine, snapshot } = openScene();
    rmSync(path.join(world.repo, ".git"), { recursive: true });
    world.git(["init", "--quiet", "--object-format=sha256"]);
    const target = await snapshot("none");
    files.write("\xff", "one\n");
    const now = await snapshot("one");
    const trees = { before: target, after: now };
    expect((await diffOf({ world, files, engine, snapshot }, trees, "\xff")).patch).toContain(
      "+one",
    );
    const plan = await engine().planRestore(world.repo, { now, target, gaps: [], force: false });
    await engine().restore(world.repo, plan);
    expect([files.all().size, await snapshot("two")]).toEqual([0, target]);
    world.git(["fsck", "--strict", "--no-dangling"]);
  });
});
