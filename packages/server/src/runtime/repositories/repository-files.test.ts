import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refuse } from "../reply.ts";
import type { Repositories } from "./repositories.ts";
import { createFileFinder, type FileFinder } from "./repository-files.ts";

let base: string;
let now: number;
let closed: number;
let find: FileFinder;

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-find-")));
  now = 1_000_000;
  closed = 0;
  const openForAgent: Repositories["openForAgent"] = async (repoId) => {
    if (repoId === "gone") return refuse("repository_not_found", "There is no such repository.");
    mkdirSync(path.join(base, repoId), { recursive: true });
    const close = async () => void (closed += 1);
    return {
      ok: true,
      workspace: { path: path.join(base, repoId), descriptor: null, close },
    };
  };
  find = createFileFinder({ openForAgent }, { clock: () => now });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(file: string): void {
  mkdirSync(path.dirname(path.join(base, file)), { recursive: true });
  writeFileSync(path.join(base, file), "");
}

const found = (files: readonly string[]) => ({ ok: true, files, truncated: false });

describe("files for a message", () => {
  it("are found in the repository that was asked for, which is looked at and let go each time", async () => {
    for (const file of ["one/src/a.ts", "one/src/b.ts", "two/a.md"]) put(file);
    expect(await find({ repoId: "one", query: "a", limit: 20 })).toEqual(found(["src/a.ts"]));
    expect(await find({ repoId: "two", query: "a", limit: 20 })).toEqual(found(["a.md"]));
    expect(await find({ repoId: "one", query: "", limit: 1 })).toEqual(found(["src/a.ts"]));
    expect(closed).toBe(3);
  });

  it("are looked for again after five seconds, not with each letter", async () => {
    put("one/a");
    await find({ repoId: "one", query: "", limit: 20 });
    put("one/b");
    now += 4_999;
    expect(await find({ repoId: "one", query: "", limit: 20 })).toEqual(found(["a"]));
    now += 1;
    expect(await find({ repoId: "one", query: "", limit: 20 })).toEqual(found(["a", "b"]));
  });

  it("of a few repositories only are remembered", async () => {
    for (let n = 0; n < 9; n += 1) {
      put(`${n}/a`);
      await find({ repoId: String(n), query: "", limit: 20 });
    }
    put("0/b");
    put("8/b");
    expect(await find({ repoId: "0", query: "", limit: 20 })).toEqual(found(["a", "b"]));
    expect(await find({ repoId: "8", query: "", limit: 20 })).toEqual(found(["a"]));
  });

  it("are refused as the repository is", async () => {
    expect(await find({ repoId: "gone", query: "", limit: 20 })).toMatchObject({
      ok: false,
      refusal: { code: "repository_not_found" },
    });
  });
});
