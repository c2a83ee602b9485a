import { execFileSync, spawnSync } from "node:child_process";
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
import { describe, expect, it, onTestFinished } from "vitest";
import { needProgram } from "../domain/testing/machine.ts";
import { hardenedGitEnvironment } from "./hardened-git.ts";

/** A repository that tries in many ways to make Git run its programs. Each writes its name when it runs. */
function openTrickyRepository(): { readonly repo: string; readonly ran: () => readonly string[] } {
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
  for (const hook of ["post-index-change", "pre-auto-gc", "post-checkout", "fsmonitor-watchman"])
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
    "file filter=plain diff=seen\nodd filter=a=b.c\nlong filter=long\nmore filter=included\n",
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
  return { repo, ran: () => readdirSync(notes).toSorted() };
}

/** The object ID of a blob with the line `one`. */
const BLOB = "5626abf0f72e58d7a153368ba57db4c673c0e171";

const READS = [
  ["status", "--short"],
  ["diff", "--no-ext-diff", "--no-textconv"],
  ["log", "-p", "--no-ext-diff", "--no-textconv"],
  ["rev-parse", "HEAD"],
  ["branch", "--show-current"],
  ["ls-files", "--modified", "--others"],
];

describe("Git in a repository that an agent writes", () => {
  it("runs programs that the repository names, without protection", () => {
    const { repo, ran } = openTrickyRepository();
    spawnSync("git", ["status", "--short"], { cwd: repo });
    expect(ran()).toEqual(
      expect.arrayContaining(["filter-clean", "filter-odd-name", "fsmonitor", "included-filter"]),
    );
  });

  it.each(READS)("runs none of them when it is hardened: git %s", async (...args) => {
    const { repo, ran } = openTrickyRepository();
    const env = await hardenedGitEnvironment(repo, process.env);
    const { status, stderr } = spawnSync("git", args, { cwd: repo, env, encoding: "utf8" });
    expect([status, stderr, ran()]).toEqual([0, "", []]);
  });

  it("ignores Git's variables in the environment of the server", async () => {
    const { repo } = openTrickyRepository();
    const environment = { ...process.env, GIT_DIR: "/elsewhere", GIT_EXTERNAL_DIFF: "/evil" };
    const env = await hardenedGitEnvironment(repo, environment);
    expect([env["GIT_DIR"], env["GIT_EXTERNAL_DIFF"]]).toEqual([undefined, undefined]);
  });
});

it("only these files start programs: in a repository, agents and hardened Git", () => {
  const sources = path.resolve(import.meta.dirname, "..");
  const starting = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|(^|\/)testing\//u.test(file))
    .filter((file) =>
      /(?:from|import\() ?["'](?:node:)?child_process["']/u.test(
        readFileSync(path.join(sources, file), "utf8"),
      ),
    )
    .toSorted();
  expect(starting).toEqual([
    "cli/access/open-page.ts",
    "cli/background/process-start.ts",
    "cli/background/service-manager.ts",
    "cli/background/start-server.ts",
    "cli/background/successor.ts",
    "cli/commands/doctor.ts",
    "cli/login/run-at-terminal.ts",
    "git/git-ownership.ts",
    "git/hardened-git.ts",
    "git/program/run-program.ts",
    "providers/acp/process/spawn-agent.ts",
    "providers/containment/pid-namespace.ts",
    "providers/demo/scenes/run-command.ts",
    "providers/host/agent-host.ts",
    "providers/network/keeper/kept-networks.ts",
    "providers/network/user-network.ts",

    "providers/sandbox/sandbox.ts",
    "storage/sqlite/damage/check-slowly.ts",
  ]);
});
