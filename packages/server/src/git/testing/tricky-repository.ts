import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";

export interface TrickyRepository {
  /** A temporary folder that contains the repository. */
  readonly root: string;
  readonly repo: string;
  /** Makes a program that notes its name when it runs, and returns its path. */
  trick(name: string): string;
  /** The programs that ran. */
  ran(): readonly string[];
}

const HOOKS = [
  "post-index-change",
  "pre-auto-gc",
  "post-checkout",
  "post-merge",
  "pre-commit",
  "reference-transaction",
  "fsmonitor-watchman",
];

/** A repository that tries in many ways to make Git run its programs. Each writes its name when it runs. */
export function openTrickyRepository(): TrickyRepository {
  needProgram("git");
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-git-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [repo, notes] = [path.join(folder, "repo"), path.join(folder, "notes")];
  mkdirSync(notes);
  const trick = (name: string): string => {
    const file = path.join(folder, `${name}.sh`);
    writeFileSync(file, `#!/bin/sh\n: > ${notes}/${name}\ncat 2>/dev/null\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@y", ...args], {
      cwd: repo,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  mkdirSync(repo);
  git("init");
  writeFileSync(path.join(repo, "file"), "one\n");
  writeFileSync(path.join(repo, "odd"), "one\n");
  const inner = path.join(repo, "inner");
  mkdirSync(inner);
  git("-C", inner, "init");
  git("-C", inner, "commit", "--allow-empty", "-m", "inner");
  git("add", ".");
  git("commit", "-m", "first");
  git("-C", inner, "config", "core.fsmonitor", trick("submodule-fsmonitor"));

  const hooks = path.join(repo, ".git", "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const hook of HOOKS)
    writeFileSync(path.join(hooks, hook), readFileSync(trick(`hook-${hook}`)), { mode: 0o755 });
  const included = path.join(repo, ".git", "included");
  writeFileSync(included, `[filter "included"]\n\tclean = ${trick("included-filter")}\n`);
  appendFileSync(
    path.join(repo, ".git", "config"),
    `[core]
	fsmonitor = ${trick("fsmonitor")}
	sshCommand = ${trick("ssh")}
	pager = ${trick("pager")}
	editor = ${trick("editor")}
	askPass = ${trick("askpass")}
[alias]
	status = !${trick("alias")}
[credential]
	helper = !${trick("credential")}
[include]
	path = included
[filter "plain"]
	clean = ${trick("filter-clean")}
	smudge = ${trick("filter-smudge")}
	required = true
[filter "a=b.c"]
	clean = ${trick("filter-odd-name")}
[filter "long"]
	process = ${trick("filter-process")}
[diff]
	external = ${trick("external-diff")}
[diff "seen"]
	textconv = ${trick("textconv")}
	command = ${trick("diff-command")}
[pager]
	status = ${trick("pager-status")}
[merge "seen"]
	driver = ${trick("merge-driver")}
[submodule "inner"]
	ignore = none
	update = !${trick("submodule-update")}
[remote "origin"]
	url = ext::${trick("remote")}
	promisor = true
	uploadpack = ${trick("uploadpack")}
[protocol "ext"]
	allow = always
[extensions]
	partialClone = origin
`,
  );
  writeFileSync(
    path.join(repo, ".git", "info", "attributes"),
    "file filter=plain diff=seen merge=seen\nodd filter=a=b.c\nlong filter=long\nmore filter=included\n",
  );
  for (const name of ["long", "more"]) {
    writeFileSync(path.join(repo, name), "one\n");
    git(
      "-c",
      "core.fsmonitor=false",
      "update-index",
      "--add",
      "--cacheinfo",
      `100644,${BLOB},${name}`,
    );
  }
  // Other times, so that Git must read the files.
  for (const name of ["file", "odd", "long", "more"]) utimesSync(path.join(repo, name), 1, 1);
  for (const name of readdirSync(notes)) rmSync(path.join(notes, name));
  return { root: folder, repo, trick, ran: () => readdirSync(notes).toSorted() };
}

/** The object ID of a blob with the line `one`. */
const BLOB = "5626abf0f72e58d7a153368ba57db4c673c0e171";
