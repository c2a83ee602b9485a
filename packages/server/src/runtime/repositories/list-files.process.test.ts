import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listFiles } from "./list-files.ts";
import type { SwapData } from "./testing/swap-thread.ts";

let base: string;
let repo: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-files-")));
  repo = path.join(base, "repo");
  put("repo/.git/config", "");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(file: string, text = ""): void {
  mkdirSync(path.dirname(path.join(base, file)), { recursive: true });
  writeFileSync(path.join(base, file), text);
}

const AMPLE = { maxEntries: 20_000, withinMs: 60_000 };
const listed = async () => (await listFiles(repo, AMPLE)).paths;

describe("the files of a repository", () => {
  it("are listed from the top down, without Git's own and what is ignored", async () => {
    for (const file of ["b.ts", "a.ts", "src/deep/c.ts", "node_modules/x/index.js", "src/x.log"])
      put(`repo/${file}`);
    put("repo/.gitignore", "node_modules/\n*.log\n");
    put("repo/src/.gitignore", "/deep/*.ts\n!x.log\n");
    put("repo/src/deep/.gitignore", "!c.ts\n");
    put("repo/module/.git", "gitdir: /elsewhere");
    put("repo/module/d.ts");
    expect(await listFiles(repo, AMPLE)).toEqual({
      paths: [
        ".gitignore",
        "a.ts",
        "b.ts",
        "module/d.ts",
        "src/.gitignore",
        "src/x.log",
        "src/deep/.gitignore",
        "src/deep/c.ts",
      ],
      truncated: false,
    });
  });

  it("A14 are never of another folder: links are named, and not followed", async () => {
    put("outside/secret.txt");
    put("repo/inside/file");
    symlinkSync(path.join(base, "outside"), path.join(repo, "out"));
    symlinkSync("..", path.join(repo, "inside/up"));
    symlinkSync(path.join(base, "outside/secret.txt"), path.join(repo, "inside/link.txt"));
    expect(await listed()).toEqual(["out", "inside/file", "inside/link.txt", "inside/up"]);
  });

  it("do not depend on a .gitignore that is a link, a folder, or never ends", async () => {
    put("outside/rules", "*\n");
    put("repo/linked/a");
    symlinkSync(path.join(base, "outside/rules"), path.join(repo, "linked/.gitignore"));
    put("repo/folder/.gitignore/b");
    mkdirSync(path.join(repo, "pipe"));
    spawnSync("mkfifo", [path.join(repo, "pipe/.gitignore")]);
    put("repo/pipe/c");
    expect(await listed()).toEqual([
      "linked/.gitignore",
      "linked/a",
      "pipe/c",
      "folder/.gitignore/b",
    ]);
  });

  it("have names that can be written into a line", async () => {
    for (const name of ["ok ä", "new\nline", "bell\u0007", "\u202Etxt.exe", "sep\u2028"])
      put(`repo/${name}`);
    writeFileSync(Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0x62, 0xff])]), "");
    expect(await listed()).toEqual(["ok ä"]);
  });

  it("are as many as were looked at, and say that there are more", async () => {
    for (let n = 0; n < 30; n += 1) put(`repo/${n % 3}/${String(n).padStart(2, "0")}`);
    const cut = await listFiles(repo, { ...AMPLE, maxEntries: 20 });
    expect(cut.truncated).toBe(true);
    expect(cut.paths.length).toBeGreaterThan(0);
    expect(cut.paths.length).toBeLessThanOrEqual(20);
    expect((await listFiles(repo, { ...AMPLE, maxEntries: 35 })).truncated).toBe(false);
    expect(await listFiles(repo, { ...AMPLE, withinMs: -1 })).toEqual({
      paths: [],
      truncated: true,
    });
  });

  it("are those that can be seen", async () => {
    put("repo/locked/a");
    put("repo/open/b");
    chmodSync(path.join(repo, "locked"), 0o000);
    const seen = await listed();
    chmodSync(path.join(repo, "locked"), 0o755);
    // Root sees everything.
    expect(seen.filter((file) => file !== "locked/a")).toEqual(["open/b"]);
    expect(await listFiles(path.join(base, "nowhere"), AMPLE)).toEqual({
      paths: [],
      truncated: false,
    });
  });

  it("leave no descriptor open", async () => {
    for (let n = 0; n < 20; n += 1) put(`repo/${n}/.gitignore`, "x");
    const open = () => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
    await listed();
    const before = open();
    await listed();
    await listFiles(repo, { ...AMPLE, maxEntries: 7 });
    expect(open()).toBe(before);
  });

  it("A14 are inside when a folder is exchanged for a link again and again", async () => {
    for (const folder of ["", "inner/", "inner/deep/"]) {
      put(`outside/${folder}not-yours`);
      put(`repo/folder/${folder}yours`);
    }
    const trap = path.join(base, "trap");
    symlinkSync(path.join(base, "outside"), trap);
    const flag = new SharedArrayBuffer(4);
    const workerData: SwapData = {
      place: path.join(repo, "folder"),
      link: trap,
      aside: path.join(base, "aside"),
      flag,
    };
    const worker = new Worker(new URL("./testing/swap-thread.ts", import.meta.url), { workerData });
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    const seen = new Set<string>();
    try {
      for (let n = 0; n < 1_500 || seen.size < 4; n += 1)
        for (const file of await listed()) seen.add(file);
    } finally {
      Atomics.store(new Int32Array(flag), 0, 1);
      await ended;
    }
    expect([...seen].toSorted()).toEqual([
      "folder",
      "folder/inner/deep/yours",
      "folder/inner/yours",
      "folder/yours",
    ]);
  });
});
