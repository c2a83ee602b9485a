import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { userGit } from "../../git/testing/new-repository.ts";
import { script, shell, waitFor } from "../../providers/testing/script.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";
import type { SessionKeeping } from "./session-keeping.ts";

let test: TestRuntime;
let sessionId: string;
let remote: string;
beforeEach(async () => {
  test = await TestRuntime.open({ files: { "a.txt": "a\n", "b.txt": "b\n" }, worktrees: {} });
  remote = path.join(test.folder, "remote.git");
  mkdirSync(remote);
  userGit(remote, "init", "--quiet", "--bare");
  userGit(test.repoPath, "config", "user.name", "Ada");
  userGit(test.repoPath, "config", "user.email", "ada@example.com");
  await test.restartWith({
    worktrees: {
      remote: `file://${remote}`,
      pullRequest:
        'echo "$HOLDFAST_BRANCH into $HOLDFAST_INTO: $HOLDFAST_TITLE" >&2; echo https://example.com/pull/7',
    },
  });
  const workspace = { kind: "worktree", base: null } as const;
  sessionId = await test.createSession({ workspace, title: "Change a" });
});
afterEach(() => test.close());

const work = (): SessionKeeping => test.runtime.work;
async function turn(command: string): Promise<void> {
  await test.send(sessionId, script(shell(command)));
  await test.idle(sessionId);
}

describe("the work of a session", () => {
  it("D7 is committed with a message of the session, and merged", async () => {
    await turn("echo changed > a.txt && echo new > new.txt");
    const before = ok(await work().state(sessionId));
    expect(before).toMatchObject({ into: "main", isClean: false, changedFiles: 2, ahead: 0 });
    const committed = ok(await work().commit({ sessionId, message: null }));
    expect([committed.files, committed.message.split("\n")[0]]).toEqual([2, "Change a"]);
    expect(await work().commit({ sessionId, message: "again" })).toMatchObject({
      refusal: { code: "nothing_to_commit" },
    });
    expect(ok(await work().state(sessionId))).toMatchObject({ isClean: true, ahead: 1, behind: 0 });
    const merged = ok(await work().merge({ sessionId, into: null }));
    expect(merged).toMatchObject({ how: "fast_forward", into: "main" });
    expect(readFileSync(path.join(test.repoPath, "a.txt"), "utf8")).toBe("changed\n");
    expect(userGit(test.repoPath, "status", "--porcelain")).toBe("");
  });

  it("D7 is not merged over conflicts, or without a commit; nothing is half done", async () => {
    await turn("echo theirs > a.txt");
    const uncommitted = await work().merge({ sessionId, into: null });
    expect(uncommitted).toMatchObject({ refusal: { code: "not_committed" } });
    ok(await work().commit({ sessionId, message: "Theirs" }));
    writeFileSync(path.join(test.repoPath, "a.txt"), "ours\n");
    userGit(test.repoPath, "commit", "--quiet", "--all", "--message", "Ours");
    const head = userGit(test.repoPath, "rev-parse", "HEAD");
    for (const result of [
      await work().merge({ sessionId, into: null }),
      await work().rebase({ sessionId, onto: null }),
    ])
      expect(result).toMatchObject({
        refusal: { code: "merge_conflicts", message: "These files conflict with main: a.txt." },
      });
    expect(userGit(test.repoPath, "rev-parse", "HEAD")).toBe(head);
    expect(userGit(test.repoPath, "status", "--porcelain")).toBe("");
    expect(ok(await work().state(sessionId))).toMatchObject({ isClean: true, ahead: 1, behind: 1 });
  });

  it("D7 is rebased when others have gone on", async () => {
    await turn("echo theirs > a.txt");
    ok(await work().commit({ sessionId, message: "Theirs" }));
    writeFileSync(path.join(test.repoPath, "b.txt"), "ours\n");
    userGit(test.repoPath, "commit", "--quiet", "--all", "--message", "Ours");
    const rebased = ok(await work().rebase({ sessionId, onto: null }));
    expect(rebased).toMatchObject({ replayed: 1, onto: "main" });
    expect(ok(await work().state(sessionId))).toMatchObject({ isClean: true, ahead: 1, behind: 0 });
  });

  it("D7 is pushed to the configured repository, and a pull request is opened", async () => {
    await turn("echo changed > a.txt");
    const { commit } = ok(await work().commit({ sessionId, message: null }));
    const pushed = ok(await work().push(sessionId));
    expect(userGit(remote, "rev-parse", pushed.branch).trim()).toBe(commit);
    const opened = ok(await work().openPullRequest({ sessionId, title: null, body: null }));
    expect(opened.url).toBe("https://example.com/pull/7");
    expect(ok(await work().state(sessionId)).pullRequest).toBe(opened.url);
  });

  it("D7 is left alone while a run is at work, and a hook can refuse a commit", async () => {
    const go = path.join(test.folder, "go");
    await test.send(sessionId, script(shell("echo changed > a.txt; echo done"), waitFor(go)));
    await test.until(sessionId, ({ messages }) => messages.some(({ role }) => role === "agent"));
    const busy = await work().commit({ sessionId, message: null });
    expect(busy).toMatchObject({ refusal: { code: "session_not_idle" } });
    writeFileSync(go, "");
    await test.idle(sessionId);
    const hook = path.join(test.repoPath, ".git", "hooks", "pre-commit");
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\necho not like this\nexit 1\n", { mode: 0o755 });
    const refused = await work().commit({ sessionId, message: null });
    expect(refused).toMatchObject({ refusal: { code: "hook_failed" } });
    expect(refused).toMatchObject({
      refusal: { message: expect.stringContaining("not like this") },
    });
  });
});
