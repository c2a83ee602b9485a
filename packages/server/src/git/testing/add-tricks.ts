import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { GitWorld } from "./worktree-world.ts";

const HOOKS = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-rebase",
  "prepare-commit-msg",
  "push-to-checkout",
  "reference-transaction",
];

export interface Tricks {
  /** The programs that have run since `forget`. */
  ran(): readonly string[];
  forget(): void;
}

/**
 * Makes a repository that tries in many ways to run its own programs when it is committed to, merged, rebased or pushed. Each
 * program writes its name when it runs. `attributes`: whether filters and merge drivers are chosen for all files, too.
 */
export function addTricks(
  { folder, repo }: GitWorld,
  { attributes = true }: { readonly attributes?: boolean } = {},
): Tricks {
  const notes = path.join(folder, "notes");
  mkdirSync(notes);
  // Only filters pass on their input. Another program that waits for some would hold up Git, and the test with it.
  const trick = (name: string, rest = ""): string => {
    const file = path.join(folder, `trick-${name}.sh`);
    writeFileSync(file, `#!/bin/sh\n: > ${notes}/${name}\n${rest}\nexit 0\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const gitFolder = path.join(repo, ".git");
  mkdirSync(path.join(gitFolder, "hooks"), { recursive: true });
  for (const hook of HOOKS)
    writeFileSync(path.join(gitFolder, "hooks", hook), `#!/bin/sh\n: > ${notes}/hook-${hook}\n`, {
      mode: 0o755,
    });
  writeFileSync(
    path.join(gitFolder, "included"),
    `[merge "included"]\n\tdriver = ${trick("included-driver")} %A\n[credential]\n\thelper = !${trick("included-credential")}\n`,
  );
  appendFileSync(
    path.join(gitFolder, "config"),
    `[core]
	fsmonitor = ${trick("fsmonitor")}
	sshCommand = ${trick("ssh")}
	gitProxy = ${trick("proxy")}
	pager = ${trick("pager")}
	editor = ${trick("editor")}
	askPass = ${trick("askpass")}
	alternateRefsCommand = ${trick("alternate-refs")}
	worktree = ${folder}/elsewhere
[sequence]
	editor = ${trick("sequence-editor")}
[alias]
	push = !${trick("alias-push")}
	update-ref = !${trick("alias-update-ref")}
	merge-tree = !${trick("alias-merge-tree")}
[commit]
	gpgSign = true
[tag]
	gpgSign = true
[push]
	gpgSign = true
[merge]
	verifySignatures = true
	tool = evil
	default = evil
[log]
	showSignature = true
[gpg]
	program = ${trick("gpg")}
[gpg "ssh"]
	program = ${trick("gpg-ssh")}
	defaultKeyCommand = ${trick("gpg-key")}
[credential]
	helper = !${trick("credential")}
[include]
	path = included
[merge "evil"]
	driver = ${trick("driver")} %A
[mergetool "evil"]
	cmd = ${trick("mergetool")}
[diff]
	external = ${trick("external-diff")}
[diff "evil"]
	textconv = ${trick("textconv")}
	command = ${trick("diff-command")}
[trailer "evil"]
	cmd = ${trick("trailer")}
[init]
	templateDir = ${folder}/elsewhere
[uploadpack]
	packObjectsHook = ${trick("pack-objects")}
[remote "origin"]
	url = ext::${trick("remote")}
	promisor = true
	uploadpack = ${trick("uploadpack")}
	receivepack = ${trick("receivepack")}
	vcs = evil
[url "ext::${trick("push-instead")} "]
	pushInsteadOf = file://
[url "ext::${trick("instead")} "]
	insteadOf = file://
[protocol "ext"]
	allow = always
[extensions]
	partialClone = origin
`,
  );
  if (attributes) {
    appendFileSync(
      path.join(gitFolder, "config"),
      `[filter "evil"]\n\tclean = ${trick("clean", "cat")}\n\tsmudge = ${trick("smudge", "cat")}\n[filter "long"]\n\tprocess = ${trick("process")}\n`,
    );
    writeFileSync(
      path.join(gitFolder, "info", "attributes"),
      "file filter=evil merge=evil diff=evil\nlines filter=long merge=included\n",
    );
  } else {
    writeFileSync(path.join(gitFolder, "info", "attributes"), "* merge=evil diff=evil\n");
  }
  const forget = (): void => {
    for (const name of readdirSync(notes)) rmSync(path.join(notes, name));
  };
  return { ran: () => readdirSync(notes).toSorted(), forget };
}
