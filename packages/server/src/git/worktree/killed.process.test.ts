import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { repeat } from "../../domain/testing/repeat.ts";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { createWorktree, type CreateRequest } from "./create-worktree.ts";
import { removeWorktree, type RemoveRequest } from "./remove-worktree.ts";

const PROGRAM = path.resolve(import.meta.dirname, "..", "testing", "worktree-program.ts");
const BRANCH = "holdfast/work-12345678";
const KEEP = "refs/holdfast/session/worktree";

/** Starts the program, and kills it this long after it has begun. Returns whether it was done. */
async function runKilled(
  world: GitWorld,
  act: "create" | "remove",
  request: CreateRequest | RemoveRequest,
  afterMs: number,
): Promise<boolean> {
  const args = [PROGRAM, act, JSON.stringify(request), JSON.stringify(world.options)];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  server.stdout.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  const closed = once(server, "close");
  await once(server.stdout, "data");
  await Promise.race([pause(afterMs), closed]);
  server.kill("SIGKILL");
  await closed;
  return text.includes("done");
}

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
        await runKilled(world, "create", request, Math.random() * 120);
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
        await runKilled(world, "remove", request, Math.random() * 150);
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
