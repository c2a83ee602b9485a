import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderGit, type FolderGit } from "./folder-git.ts";
import { GitFault } from "./git-fault.ts";
import { rawName } from "./testing/git-world.ts";
import { openTrickyRepository, type TrickyRepository } from "./testing/tricky-repository.ts";

const MISSING = "12".repeat(20);

/** Calls every method, and returns the first fault of each. */
async function callAll(git: FolderGit, repo: string): Promise<Readonly<Record<string, unknown>>> {
  const faults: Record<string, unknown> = {};
  const call = async <Value>(name: string, act: () => Promise<Value>): Promise<Value | null> =>
    act().catch((error: unknown) => {
      faults[name] ??= error;
      return null;
    });
  const ref = (name: string) => ({ sessionId: "s", name: [name] });
  const write = (name: string, text: string): void => writeFileSync(path.join(repo, name), text);
  const snapshot = async (name: string): Promise<string> => {
    const taken = await call("snapshot", () => git.snapshot(repo, ref(name)));
    await taken?.isKept;
    return taken?.tree ?? MISSING;
  };
  const before = await snapshot("before");
  for (const name of ["file", "odd", "long", "more", "inner/x"]) write(name, `two ${name}\n`);
  write("added", "new\n");
  const after = await snapshot("after");
  const trees = { before, after };
  await call("changes", () => git.changes(repo, trees));
  const file = { path: rawName("file"), from: null };
  await call("fileDiff", () => git.fileDiff(repo, trees, file, 1_000_000));
  await call("patch", () => git.patch(repo, trees, 1_000_000));
  const wanted = { now: after, target: before, gaps: [trees].map(() => [after, after] as const) };
  const plan = await call("planRestore", () => git.planRestore(repo, { ...wanted, force: true }));
  const { now, result } = plan ?? { now: after, result: before };
  await call("restore", () => git.restore(repo, { now, result }));
  write("file", "cut off\n");
  await call("finishRestore", () => git.finishRestore(repo, { now, result }, ref("found")));
  await call("keep", () => git.keep(repo, ref("kept"), before));
  await call("keep a missing object", () => git.keep(repo, ref("missing"), MISSING));
  await call("changes of a missing object", () =>
    git.changes(repo, { before: MISSING, after: before }),
  );
  await call("forget", () => git.forget(repo, "s"));
  return faults;
}

/** All that is outside of the repository and of our own folder. */
function readOutside(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      if (["repo", "data"].includes(path.relative(root, file))) continue;
      const stats = lstatSync(file);
      found[file] = `${stats.mtimeMs} ${stats.isFile() ? readFileSync(file, "latin1") : ""}`;
      if (stats.isDirectory()) visit(file);
    }
  };
  visit(root);
  return found;
}

function open({ root }: TrickyRepository): FolderGit {
  return createFolderGit({ dataFolder: path.join(root, "data"), environment: process.env });
}

function addOutside({ root }: TrickyRepository): string {
  const outside = path.join(root, "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "file"), "one\n");
  return outside;
}

describe("D7 snapshots of a repository that an agent has prepared", () => {
  it("run nothing that it names, and write nothing outside, in any method", async () => {
    const tricky = openTrickyRepository();
    const { repo, trick } = tricky;
    const outside = addOutside(tricky);
    writeFileSync(
      path.join(repo, ".gitmodules"),
      `[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n\tupdate = !${trick("gitmodules")}\n`,
    );
    writeFileSync(
      path.join(repo, ".gitattributes"),
      "* filter=plain diff=seen merge=seen\nodd filter=a=b.c text=auto\n",
    );
    writeFileSync(path.join(repo, "git"), readFileSync(trick("git-in-folder")), { mode: 0o755 });
    const included = path.join(repo, ".git", "more-included");
    writeFileSync(included, `[core]\n\thooksPath = ${path.join(repo, ".git", "hooks")}\n`);
    appendFileSync(
      path.join(repo, ".git", "config"),
      `[core]\n\tworktree = ${outside}\n[includeIf "gitdir:${repo}/"]\n\tpath = more-included\n[diff]\n\tignoreSubmodules = none\n`,
    );
    const before = readOutside(tricky.root);
    const git = createFolderGit({
      dataFolder: path.join(tricky.root, "data"),
      environment: { ...process.env, PATH: `.:${process.env["PATH"]}` },
    });
    const faults = await callAll(git, repo);
    expect(tricky.ran()).toEqual([]);
    expect(readOutside(tricky.root)).toEqual(before);
    // Everything works but what asks for an object that does not exist.
    expect(Object.keys(faults)).toEqual(["keep a missing object", "changes of a missing object"]);
    for (const fault of Object.values(faults))
      expect(String(fault)).toMatch(/^GitFault: .*is no longer kept/u);
  });

  const leads: Readonly<Record<string, (repo: string, outside: string) => void>> = {
    "its .git is a file that leads elsewhere": (repo, outside) => {
      renameSync(path.join(repo, ".git"), path.join(outside, "git"));
      writeFileSync(path.join(repo, ".git"), `gitdir: ${path.join(outside, "git")}\n`);
    },
    "its .git is a link": (repo, outside) => {
      renameSync(path.join(repo, ".git"), path.join(outside, "git"));
      symlinkSync(path.join(outside, "git"), path.join(repo, ".git"));
    },
    "its .git shares the data of another": (repo, outside) => {
      writeFileSync(path.join(repo, ".git", "commondir"), `${outside}\n`);
    },
    "its objects are elsewhere": (repo, outside) => {
      renameSync(path.join(repo, ".git", "objects"), path.join(outside, "objects"));
      symlinkSync(path.join(outside, "objects"), path.join(repo, ".git", "objects"));
    },
    "some of its objects are elsewhere": (repo, outside) => {
      for (let at = 0; at < 256; at += 1) {
        const folder = path.join(repo, ".git", "objects", at.toString(16).padStart(2, "0"));
        rmSync(folder, { recursive: true, force: true });
        symlinkSync(outside, folder);
      }
    },
    "its refs are elsewhere": (repo, outside) =>
      symlinkSync(outside, path.join(repo, ".git", "refs", "holdfast")),
    "the refs of a session are elsewhere": (repo, outside) => {
      mkdirSync(path.join(repo, ".git", "refs", "holdfast"));
      symlinkSync(outside, path.join(repo, ".git", "refs", "holdfast", "s"));
    },
    "its packed refs are elsewhere": (repo, outside) =>
      symlinkSync(path.join(outside, "file"), path.join(repo, ".git", "packed-refs")),
  };
  it.each(Object.entries(leads))("are refused, and write nothing: %s", async (_, lead) => {
    const tricky = openTrickyRepository();
    const outside = addOutside(tricky);
    lead(tricky.repo, outside);
    const before = readOutside(tricky.root);
    const faults = await callAll(open(tricky), tricky.repo);
    expect(readOutside(tricky.root)).toEqual(before);
    expect(tricky.ran()).toEqual([]);
    expect(Object.keys(faults).length).toBeGreaterThanOrEqual(9);
    expect(Object.values(faults).filter((fault) => !(fault instanceof GitFault))).toEqual([]);
  });
});
