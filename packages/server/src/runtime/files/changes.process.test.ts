import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { userGit } from "../../git/testing/new-repository.ts";
import { script, say, shell, waitFor, write, type Step } from "../../providers/testing/script.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;
let sessionId: string;
beforeEach(async () => {
  test = await TestRuntime.open({
    files: { "a.txt": "one\ntwo\nthree\n", "b.txt": "b\nb\nb\nb\n", ".gitignore": "*.log\n" },
  });
  sessionId = await test.createSession();
});
afterEach(() => test.close());

const file = (name: string): string => path.join(test.repoPath, name);

async function turn(...steps: readonly Step[]): Promise<string> {
  const sent = await test.send(sessionId, script(...steps));
  await test.idle(sessionId);
  return sent.run.id;
}

const changes = async (range: { readonly run?: string; readonly since?: string } = {}) =>
  ok(await test.runtime.readChanges({ sessionId, ...range }));

const short = async (range: { readonly run?: string; readonly since?: string } = {}) =>
  (await changes(range)).files.map(({ path: name, change, by }) => `${change} ${name} ${by}`);

describe("the changes of a session", () => {
  it("D7 lists what each run changed, by whatever means, and what the session changed", async () => {
    expect(await changes()).toMatchObject({ available: false, reason: "No run has started yet." });
    const first = await turn(write(file("a.txt"), "one\n2\nthree\n"), say("done"));
    const second = await turn(
      shell(`cd ${test.repoPath} && git mv b.txt c.txt && echo x > new.txt && echo y > an.log`),
    );
    const third = await turn(say("nothing to do"));
    expect(await short({ run: first })).toEqual(["modified a.txt session"]);
    expect(await short({ run: second })).toEqual([
      "renamed c.txt session",
      "added new.txt session",
    ]);
    expect(await short({ run: third })).toEqual([]);
    expect(await short()).toEqual([
      "modified a.txt session",
      "renamed c.txt session",
      "added new.txt session",
    ]);
    expect(await short({ since: second })).toEqual([
      "renamed c.txt session",
      "added new.txt session",
    ]);
    const { session } = await test.read(sessionId);
    expect(session.files?.total).toEqual({ files: 3, added: 2, deleted: 1 });
    expect(await test.store.readRun(first)).toMatchObject({
      changes: { files: 1, added: 1, deleted: 1 },
    });
  });

  it("D7 has a unified diff of each file, and a patch of all of them", async () => {
    const run = await turn(write(file("a.txt"), "one\n2\nthree\n"));
    const diff = ok(await test.runtime.readFileDiff({ sessionId, run, path: "a.txt" }));
    expect(diff.patch).toContain("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    const { patch } = ok(await test.runtime.readPatch({ sessionId }));
    userGit(test.repoPath, "checkout", "--quiet", "--", "a.txt");
    writeFileSync(file("the.log"), patch);
    userGit(test.repoPath, "apply", "the.log");
    expect(readFileSync(file("a.txt"), "utf8")).toBe("one\n2\nthree\n");
    const missing = await test.runtime.readFileDiff({ sessionId, run, path: "b.txt" });
    expect(missing).toMatchObject({ refusal: { code: "path_not_found" } });
  });

  it("D7 tells what somebody else changed between runs", async () => {
    await turn(write(file("a.txt"), "by the agent\n"));
    writeFileSync(file("b.txt"), "by a person\n");
    writeFileSync(file("both.txt"), "by a person\n");
    await turn(write(file("both.txt"), "by the agent\n"));
    expect(await short()).toEqual([
      "modified a.txt session",
      "modified b.txt others",
      "added both.txt both",
    ]);
  });

  it("D7 compares the files as they are now while a run is at work", async () => {
    const go = path.join(test.folder, "go");
    const sent = await test.send(sessionId, script(write(file("a.txt"), ""), waitFor(go)));
    await expect.poll(() => short({ run: sent.run.id })).toEqual(["modified a.txt session"]);
    expect(await changes({ run: sent.run.id })).toMatchObject({ isLive: true });
    writeFileSync(go, "");
    await test.idle(sessionId);
    expect(await changes({ run: sent.run.id })).toMatchObject({ isLive: false });
  });

  it("D7 of a run that was cut off ends where the next run begins", async () => {
    const never = path.join(test.folder, "never");
    const sent = await test.send(sessionId, script(write(file("a.txt"), "cut\n"), waitFor(never)));
    await expect.poll(() => readFileSync(file("a.txt"), "utf8")).toBe("cut\n");
    await expect
      .poll(async () => (await test.store.readRun(sent.run.id))?.filesBefore)
      .toBeTruthy();
    await test.restartAfterCrash();
    await test.idle(sessionId);
    expect(await short({ run: sent.run.id })).toEqual(["modified a.txt session"]);
    await turn(write(file("b.txt"), "next\n"));
    expect(await short({ run: sent.run.id })).toEqual(["modified a.txt session"]);
  });

  it("D7 says why nothing is known", async () => {
    const elsewhere = await test.createSession({ repoId: null });
    expect(ok(await test.runtime.readChanges({ sessionId: elsewhere }))).toMatchObject({
      available: false,
      reason: "The session has no repository.",
    });
    renameSync(file(".git/HEAD"), file(".git/gone"));
    await turn(say("hello"));
    expect(await changes()).toMatchObject({
      available: false,
      reason: "Git cannot be used here: its .git is not a Git repository.",
    });
    const unknown = await test.runtime.readChanges({ sessionId, run: sessionId });
    expect(unknown).toMatchObject({ refusal: { code: "run_not_found" } });
  });

  it("D7 leaves the user's index, branches, stash and status alone, and its refs go with the session", async () => {
    const seen = (): readonly string[] => [
      userGit(test.repoPath, "status", "--porcelain=v2", "--branch"),
      userGit(test.repoPath, "for-each-ref", "refs/heads", "refs/stash", "refs/tags"),
      userGit(test.repoPath, "stash", "list"),
      userGit(test.repoPath, "log", "--all", "--oneline"),
    ];
    writeFileSync(file("staged.txt"), "staged\n");
    userGit(test.repoPath, "add", "staged.txt");
    const before = seen();
    await turn(say("hello"));
    await changes();
    expect(seen()).toEqual(before);
    expect(userGit(test.repoPath, "for-each-ref", "refs/holdfast")).not.toBe("");
    ok(await test.runtime.deleteSession({ sessionId }));
    await expect.poll(() => userGit(test.repoPath, "for-each-ref", "refs/holdfast")).toBe("");
    expect(existsSync(file("staged.txt"))).toBe(true);
  });
});
