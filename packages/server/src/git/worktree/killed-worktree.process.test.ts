import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { repeat } from "../../domain/testing/repeat.ts";
import { runKilled } from "../testing/run-killed.ts";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { createWorktree, type CreateRequest } from "./create-worktree.ts";
import { removeWorktree, type RemoveRequest } from "./remove-worktree.ts";

const BRANCH = "holdfast/work-12345678";
const KEEP = "refs/holdfast/session/worktree";

/** A repository with some hundred files, so that a checkout takes a while. */
function openLargeWorld(): GitWorld {
  const world = openGitWorld();
  for (let number = 0; number < 400; number += 1)
    world.write(`repo/many/${number % 20}/${number}`, `${number}\n`.repeat(200));
  world.write("repo/.gitignore", "*.env\n");
  world.commit(world.repo, "many");
  world.write("repo/a.env", "TOKEN\n");
  return world;
}

const TRIES = repeat({ short: 8, long: 60 });

describe("a server that is killed", () => {
  it(
    "D7: while it makes a worktree makes it when it is asked again",
    { timeout: 600_000 },
    async () => {
      const world = openLargeWorld();
      const { git, repo, worktree } = world;
      const request: CreateRequest = {
        repository: repo,
        folder: worktree,
        branch: BRANCH,
        base: null,
        copy: ["*.env"],
      };
      const before = git(repo, "status", "--porcelain", "--branch");
      for (let tries = 0; tries < TRIES; tries += 1) {
        await runKilled("worktree", ["create", request, world.options], Math.random() * 120);
        const made = await createWorktree(request, world.options);
        expect(made).toMatchObject({ branch: BRANCH, folder: worktree });
        expect([
          git(worktree, "status", "--porcelain", "--branch"),
          git(repo, "status", "--porcelain", "--branch"),
          git(repo, "worktree", "list", "--porcelain").includes("locked"),
          readdirSync(path.join(repo, ".git", "worktrees")),
          git(repo, "branch", "--format=%(refname:short)"),
          existsSync(path.join(worktree, "a.env")),
        ]).toEqual([`## ${BRANCH}\n`, before, false, ["one"], `${BRANCH}\nmain\n`, true]);
        git(repo, "worktree", "remove", "--force", worktree);
        git(repo, "branch", "-D", BRANCH);
      }
    },
  );

  it(
    "D7: while it removes a worktree loses nothing, and removes it when it is asked again",
    { timeout: 600_000 },
    async () => {
      const world = openLargeWorld();
      const { git, repo, worktree } = world;
      for (let tries = 0; tries < TRIES; tries += 1) {
        await createWorktree(
          { repository: repo, folder: worktree, branch: BRANCH, base: null, copy: [] },
          world.options,
        );
        world.write("worktrees/one/new", `new ${tries}\n`);
        world.write("worktrees/one/many/1/1", `changed ${tries}\n`);
        const request: RemoveRequest = {
          repository: repo,
          folder: worktree,
          branch: BRANCH,
          keepAs: `${KEEP}-${tries}`,
          force: true,
        };
        await runKilled("worktree", ["remove", request, world.options], Math.random() * 150);
        // What was kept needs no force any more. What was not kept is still there.
        const isKept = git(repo, "for-each-ref", request.keepAs) !== "";
        const removed = await removeWorktree({ ...request, force: !isKept }, world.options);
        expect(removed).toMatchObject({ removed: true });
        expect([
          git(repo, "show", `${request.keepAs}:new`),
          git(repo, "show", `${request.keepAs}:many/1/1`),
          existsSync(worktree),
          existsSync(path.join(repo, ".git", "worktrees")),
          git(repo, "branch", "--format=%(refname:short)"),
        ]).toEqual([`new ${tries}\n`, `changed ${tries}\n`, false, false, "main\n"]);
      }
    },
  );
});
