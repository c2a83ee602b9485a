import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { needProc } from "../../domain/testing/machine.ts";
import type { SwapData } from "./testing/swap-thread.ts";
import { openWorkspaceRoot, type Opened, type Violation } from "./workspace-root.ts";

let base: string;
let root: string;
let violations: Violation[];

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-test-")));
  root = path.join(base, "root");
  violations = [];
  repository("root/repo");
  repository("root/group/inner");
  repository("outside/secret");
  mkdirSync(path.join(base, "root/plain"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function repository(name: string): void {
  mkdirSync(path.join(base, name, ".git"), { recursive: true });
}

function link(name: string, target: string): void {
  symlinkSync(target, path.join(base, name));
}

const PROOFS = ["descriptor", "comparison"] as const;

describe.each(PROOFS)("the workspace root, proved by %s", (proof) => {
  async function resolve(asked: string, folder = root) {
    const opening = await openWorkspaceRoot(folder, {
      onViolation: (violation) => violations.push(violation),
      proof,
    });
    return opening.resolve(asked);
  }

  const ok = (name: string) => ({ ok: true, path: path.join(base, name) });
  const refusal = (code: string, message: unknown) => ({
    ok: false,
    refusal: { code, message, status: null, state: null },
  });
  const outside = (asked: string) =>
    refusal("path_outside_root", `${JSON.stringify(asked)} is outside the workspace root ${root}.`);

  it("A14 takes a repository by its absolute path, or by its path from the root", async () => {
    expect(await resolve(path.join(root, "repo"))).toEqual(ok("root/repo"));
    expect(await resolve("repo")).toEqual(ok("root/repo"));
    expect(await resolve("group/inner")).toEqual(ok("root/group/inner"));
    expect(violations).toEqual([]);
  });

  it.each(["repo/", "repo//", "./repo", "repo/.", "group/../repo", "//repo/../repo"])(
    "A14 normalises %s",
    async (asked) => {
      const given = asked.startsWith("/") ? `${root}${asked}` : asked;
      expect(await resolve(given)).toEqual(ok("root/repo"));
    },
  );

  it("A14 may itself be the repository", async () => {
    repository("root");
    expect(await resolve(".")).toEqual(ok("root"));
    expect(await resolve(root)).toEqual(ok("root"));
    expect(await resolve(`${root}/`)).toEqual(ok("root"));
  });

  it.each([
    "..",
    "../outside/secret",
    "repo/../../outside/secret",
    "repo/../../../../../../etc",
    "/",
    "/etc/passwd",
    "/nowhere/at/all",
    "../nowhere",
  ])("A14 refuses %s, whether it exists or not, and reports it", async (asked) => {
    expect(await resolve(asked)).toEqual(outside(asked));
    expect(violations).toEqual([
      { path: asked, root, reason: "outside_root", leadsTo: expect.any(String) },
    ]);
  });

  it("A14 is not its neighbour with a longer name, nor one in capitals", async () => {
    repository("root-2/repo");
    repository("ROOT/repo");
    for (const neighbour of ["root-2/repo", "ROOT/repo"]) {
      const asked = path.join(base, neighbour);
      expect(await resolve(asked)).toEqual(outside(asked));
    }
    expect(await resolve("REPO")).toMatchObject({ refusal: { code: "path_not_found" } });
  });

  it("A14 refuses a path with a NUL byte", async () => {
    const asked = "repo\0/../../outside/secret";
    expect(await resolve(asked)).toEqual(outside(asked));
    expect(violations).toEqual([{ path: asked, root, reason: "nul_byte", leadsTo: null }]);
  });

  it("A14 follows links that stay inside, to the folder they lead to", async () => {
    link("root/shortcut", path.join(root, "group/inner"));
    link("root/near", "repo");
    link("root/again", "near");
    link("root/parent", "group");
    expect(await resolve("shortcut")).toEqual(ok("root/group/inner"));
    expect(await resolve("near")).toEqual(ok("root/repo"));
    expect(await resolve("again/")).toEqual(ok("root/repo"));
    expect(await resolve("parent/inner")).toEqual(ok("root/group/inner"));
    expect(violations).toEqual([]);
  });

  it("A14 refuses links that lead outside, and says nothing of what is there", async () => {
    link("root/direct", path.join(base, "outside/secret"));
    link("root/relative", "../outside/secret");
    link("root/above", "../outside");
    link("root/chained", "direct");
    link("root/dangling", path.join(base, "outside/nothing"));
    link("root/far", "dangling");
    const paths = ["direct", "relative", "above/secret", "above/nothing", "chained", "dangling"];
    for (const asked of [...paths, "far", "direct/.git"]) {
      const refused = await resolve(asked);
      expect(refused).toEqual(outside(asked));
      expect(JSON.stringify(refused).replace(root, "")).not.toContain(base);
    }
    expect(new Set(violations.map(({ reason }) => reason))).toEqual(new Set(["leads_outside"]));
    expect(violations[0]?.leadsTo).toBe(path.join(base, "outside/secret"));
  });

  it("A14 takes a path from elsewhere that really leads inside", async () => {
    link("alias", "root/repo");
    expect(await resolve(path.join(base, "alias"))).toEqual(ok("root/repo"));
  });

  it("A14 may be given by a link: both names of it are inside", async () => {
    link("root-link", "root");
    const given = path.join(base, "root-link");
    expect(await resolve("repo", given)).toEqual(ok("root/repo"));
    expect(await resolve(path.join(given, "repo"), given)).toEqual(ok("root/repo"));
    expect(await resolve(path.join(root, "repo"), given)).toEqual(ok("root/repo"));
    expect(await resolve("../outside/secret", given)).toEqual(outside("../outside/secret"));
  });

  it("A14 says of what is not there, or is no folder, that it is not found", async () => {
    writeFileSync(path.join(root, "file"), "");
    link("root/nothing", "gone");
    link("root/round", "round");
    const long = "x".repeat(5000);
    for (const asked of ["gone", "gone/deeper", "nothing", "file/deeper", "round", long]) {
      const message: unknown = expect.stringMatching(/does not exist or is not accessible\.$/u);
      expect(await resolve(asked)).toEqual(refusal("path_not_found", message));
    }
    expect(await resolve("file")).toEqual(refusal("path_not_found", '"file" is not a folder.'));
    expect(violations).toEqual([]);
  });

  it("A14 tells a folder without .git from a repository; .git may be a file, as in worktrees", async () => {
    const message = '"plain" is not a Git repository: it has no .git.';
    expect(await resolve("plain")).toEqual(refusal("not_a_repository", message));
    mkdirSync(path.join(root, "worktree"));
    writeFileSync(path.join(root, "worktree/.git"), "gitdir: /elsewhere\n");
    expect(await resolve("worktree")).toEqual(ok("root/worktree"));
    mkdirSync(path.join(root, "broken"));
    link("root/broken/.git", "nothing");
    expect(await resolve("broken")).toMatchObject({ refusal: { code: "not_a_repository" } });
  });

  it("holds an opened folder wherever it goes, until it is closed", async () => {
    needProc();
    const opening = await openWorkspaceRoot(root, { onViolation: () => {}, proof });
    const opened = await opening.open("repo");
    if (!opened.ok || opened.workspace.descriptor === null) throw new Error("it is a repository");
    const { descriptor, close } = opened.workspace;
    renameSync(path.join(root, "repo"), path.join(root, "moved"));
    symlinkSync(path.join(base, "outside/secret"), path.join(root, "repo"));
    expect(readdirSync(`/proc/self/fd/${descriptor}`)).toEqual([".git"]);
    expect(readlinkSync(`/proc/self/fd/${descriptor}`)).toBe(path.join(root, "moved"));
    await Promise.all([close(), close()]);
    expect(() => fstatSync(descriptor)).toThrow("EBADF");
  });

  it("leaves no descriptor open, whatever it said", async () => {
    link("root/direct", path.join(base, "outside/secret"));
    const opening = await openWorkspaceRoot(root, { onViolation: () => {}, proof });
    const before = openDescriptors();
    for (const asked of ["repo", "plain", "gone", "direct", "..", "\0"])
      await opening.resolve(asked);
    expect(openDescriptors()).toBe(before);
  });

  it("cannot be opened when there is no such folder", async () => {
    const options = { onViolation: () => {}, proof };
    await expect(openWorkspaceRoot(path.join(base, "gone"), options)).rejects.toThrow("ENOENT");
    writeFileSync(path.join(base, "file"), "");
    await expect(openWorkspaceRoot(path.join(base, "file"), options)).rejects.toThrow(
      "is not a folder",
    );
  });
});

describe("a folder that may not be looked at", () => {
  it("A14 is not found by a server without the right", () => {
    for (const folder of [base, root, path.join(root, "repo")]) chmodSync(folder, 0o755);
    const locked = path.join(root, "locked");
    repository("root/locked");
    chmodSync(locked, 0o000);
    const said = openAsNobody("locked");
    expect(said).toMatchObject({
      opened: { ok: false, refusal: { code: "path_not_found" } },
      violations: [],
    });
    expect(openAsNobody("locked/deeper")).toMatchObject({
      opened: { refusal: { code: "path_not_found" } },
    });
    expect(openAsNobody("repo")).toMatchObject({ opened: { ok: true } });
    chmodSync(locked, 0o755);
  });

  /** In a process of its own, which is never root. */
  function openAsNobody(asked: string): unknown {
    const program = path.join(import.meta.dirname, "testing/open-process.ts");
    const { stdout, stderr } = spawnSync(process.execPath, [program, root, asked], {
      cwd: "/",
      encoding: "utf8",
    });
    if (stdout === "") throw new Error(stderr);
    const said: unknown = JSON.parse(stdout);
    return said;
  }
});

describe("a folder that is exchanged for a link again and again", () => {
  beforeAll(needProc);

  const ATTEMPTS = 3000;

  it.each(["repo", "group"])(
    "A14 is opened inside the root or not at all, when %s is what changes",
    async (changing) => {
      const asked = changing === "repo" ? "repo" : "group/inner";
      repository("outside/inner");
      for (const folder of ["outside/secret", "outside/inner"])
        writeFileSync(path.join(base, folder, "not-yours"), "");
      const trap = path.join(base, "trap");
      symlinkSync(path.join(base, changing === "repo" ? "outside/secret" : "outside"), trap);
      const opening = await openWorkspaceRoot(root, {
        onViolation: (violation) => violations.push(violation),
      });
      const stop = swapping({ place: path.join(root, changing), link: trap });
      let inside = 0;
      try {
        for (let n = 0; n < ATTEMPTS || inside === 0 || violations.length === 0; n += 1) {
          const opened = await opening.open(asked);
          if (opened.ok) await check(opened);
          if (opened.ok) inside += 1;
        }
      } finally {
        await stop();
      }
      expect(violations.length).toBeGreaterThan(0);
    },
  );

  async function check({ workspace }: Extract<Opened, { ok: true }>): Promise<void> {
    const found = readdirSync(`/proc/self/fd/${String(workspace.descriptor)}`);
    await workspace.close();
    if (found.includes("not-yours")) throw new Error(`${workspace.path} was opened outside`);
  }

  function swapping(places: Pick<SwapData, "place" | "link">): () => Promise<void> {
    const flag = new SharedArrayBuffer(4);
    const workerData: SwapData = { ...places, aside: path.join(base, "aside"), flag };
    const worker = new Worker(new URL("./testing/swap-thread.ts", import.meta.url), { workerData });
    const ended = new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", () => resolve());
    });
    return () => {
      Atomics.store(new Int32Array(flag), 0, 1);
      return ended;
    };
  }
});

function openDescriptors(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}
