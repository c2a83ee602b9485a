import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openGitWorld, type GitWorld } from "../testing/worktree-world.ts";
import { pushBranch } from "./push-branch.ts";

function openWorld(): GitWorld & { readonly remote: string; readonly url: string } {
  const world = openGitWorld();
  const remote = path.join(world.folder, "remote.git");
  mkdirSync(remote);
  world.git(remote, "init", "--quiet", "--bare");
  return { ...world, remote, url: `file://${remote}` };
}

const push = (world: GitWorld, remote: string, branch = "main") =>
  pushBranch({ folder: world.repo, remote, branch }, world.options);

describe("a push", () => {
  it("D7: brings a branch to the remote repository", async () => {
    const world = openWorld();
    const { git, repo, remote, url } = world;
    const commit = git(repo, "rev-parse", "HEAD").trim();
    expect(await push(world, url)).toEqual({ pushed: true, commit, isUpToDate: false });
    expect(await push(world, url)).toEqual({ pushed: true, commit, isUpToDate: true });
    world.write("repo/file", "two\n");
    const next = world.commit(repo, "second");
    expect(await push(world, remote)).toEqual({ pushed: true, commit: next, isUpToDate: false });
    expect(git(remote, "log", "--format=%s", "main")).toBe("second\nfirst\n");
    git(remote, "fsck", "--strict");
  });

  it("D7: is not forced, and says why it was refused", async () => {
    const world = openWorld();
    const { git, repo, remote, url } = world;
    world.commit(repo, "second");
    await push(world, url);
    git(repo, "commit", "--quiet", "--amend", "--allow-empty", "-m", "other");
    expect(await push(world, url)).toEqual({
      pushed: false,
      why: "behind",
      message: 'The branch "main" of the remote repository has commits that are not here.',
    });
    git(repo, "branch", "more");
    world.write("remote.git/hooks/pre-receive", "#!/bin/sh\necho only on Mondays\nexit 1\n", 0o755);
    const refused = await push(world, url, "more");
    expect(refused).toMatchObject({ pushed: false, why: "refused" });
    expect("message" in refused ? refused.message : "").toContain("only on Mondays");
    expect(git(remote, "branch", "--format=%(refname:short)")).toBe("main\n");
    const missing = await push(world, `file://user:secret@localhost${world.folder}/nothing`);
    expect(missing).toMatchObject({ pushed: false, why: "failed" });
    expect("message" in missing ? missing.message : "").not.toContain("secret");
  });

  it("D7: goes only to a URL, and only with a branch that exists", async () => {
    const world = openWorld();
    world.git(world.repo, "remote", "add", "origin", world.url);
    for (const remote of [
      "origin",
      "",
      "--receive-pack=evil",
      "./inner",
      "../remote.git",
      "ext::sh -c evil",
      "ssh://-oProxyCommand=evil/x",
      "-oProxyCommand=evil:x",
    ])
      await expect(push(world, remote)).rejects.toThrow("The remote repository must be a URL");
    await expect(push(world, world.url, "nowhere")).rejects.toThrow(
      'The repository has no branch "nowhere".',
    );
  });

  it("D7: works in a clone with a limited depth", async () => {
    const world = openWorld();
    world.commit(world.repo, "second");
    world.commit(world.repo, "third");
    await push(world, world.url);
    const shallow = path.join(world.folder, "shallow");
    world.git(world.folder, "clone", "--quiet", "--depth=1", world.url, shallow);
    const next = world.commit(shallow, "fourth");
    const request = { folder: shallow, remote: world.url, branch: "main" };
    expect(await pushBranch(request, world.options)).toMatchObject({ pushed: true, commit: next });
  });
});
