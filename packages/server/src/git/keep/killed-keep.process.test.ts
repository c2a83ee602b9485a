import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { repeat } from "../../domain/testing/repeat.ts";
import { runKilled } from "../testing/run-killed.ts";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { commitAll } from "./commit-all.ts";
import { mergeInto } from "./merge-into.ts";

const TRIES = repeat({ short: 8, long: 60 });

/** Changes some hundred files. */
function changeMany(world: GitWorld, folder: string, text: string): void {
  for (let number = 0; number < 300; number += 1)
    world.write(`${folder}/many/${number % 20}/${number}`, `${text} ${number}\n`.repeat(50));
}

describe("a server that is killed", () => {
  it(
    "D7: while it commits has committed everything or nothing, and can do it again",
    { timeout: 600_000 },
    async () => {
      const world = openGitWorld();
      const { git, repo, options } = world;
      for (let tries = 0; tries < TRIES; tries += 1) {
        const before = git(repo, "rev-parse", "HEAD").trim();
        changeMany(world, "repo", `try ${tries}`);
        world.write(`repo/staged-${tries}`, "x\n");
        git(repo, "add", `staged-${tries}`);
        const request = { folder: repo, message: `try ${tries}`, hooks: false };
        await runKilled("keep", ["commit", request, options], Math.random() * 200);
        // A command of the killed server may still run.
        await expect.poll(() => existsSync(path.join(repo, ".git", "index.lock"))).toBe(false);
        const isCommitted = git(repo, "rev-parse", "HEAD").trim() !== before;
        const state = git(repo, "status", "--porcelain");
        expect([isCommitted, state === ""]).toEqual([isCommitted, isCommitted]);
        expect(state).toContain(isCommitted ? "" : `A  staged-${tries}`);
        expect(await commitAll(request, options)).toMatchObject({ committed: !isCommitted });
        expect([
          git(repo, "status", "--porcelain"),
          git(repo, "rev-parse", "HEAD~1").trim(),
          git(repo, "show", `HEAD:staged-${tries}`),
        ]).toEqual(["", before, "x\n"]);
      }
    },
  );

  it("D7: while it merges goes on when it is asked again", { timeout: 600_000 }, async () => {
    const world = openGitWorld();
    const { git, repo, options } = world;
    changeMany(world, "repo", "first");
    world.commit(repo, "many");
    for (let tries = 0; tries < TRIES; tries += 1) {
      git(repo, "checkout", "--quiet", "-B", "work");
      changeMany(world, "repo", `try ${tries}`);
      world.write(`repo/new/${tries}`, "new\n");
      git(repo, "rm", "--quiet", "-r", "--ignore-unmatch", `new/${tries - 1}`);
      const work = world.commit(repo, `try ${tries}`);
      git(repo, "checkout", "--quiet", "main");
      world.write("repo/ours", `${tries}\n`);
      const ours = world.commit(repo, "ours");
      world.write("repo/untracked", "mine\n");
      const request = { repository: repo, worktreeFolder: null, branch: "work", into: "main" };
      await runKilled("keep", ["merge", request, options], Math.random() * 300);
      await expect
        .poll(async () => mergeInto(request, options).catch((error: unknown) => error))
        .toMatchObject({ merged: true });
      expect([
        git(repo, "status", "--porcelain"),
        git(repo, "log", "-1", "--format=%P").trim(),
        world.read("repo/many/1/1").startsWith(`try ${tries}`),
        world.read("repo/ours"),
      ]).toEqual(["?? untracked\n", `${ours} ${work}`, true, `${tries}\n`]);
      git(repo, "clean", "--quiet", "-f", "untracked");
    }
  });
});
