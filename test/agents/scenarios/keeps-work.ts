import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { newRepository, userGit } from "../../../packages/server/src/git/testing/new-repository.ts";
import { Unsupported } from "../outcome.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { talkIn, type SessionDriver } from "../session-driver.ts";
import { allowAll, findRoute } from "../tool-route.ts";

export const keepsWork: Scenario = {
  name: "commits",
  title: "commits with Holdfast's tool when a person allows it",
  run: async ({ rig, agent }) => {
    const { session, repository, worktree } = await openWorktree(rig, agent.name);
    const route = await findRoute(session, rig, { server: "holdfast", tools: ["commit_changes"] });
    if (route === null) {
      await session.remove();
      await rig.noAgents();
      throw new Unsupported("it does not get the tool");
    }
    const { path: folder, branch } = await worktree();
    writeFileSync(path.join(folder, "new.txt"), "new\n");
    await session.send(route.call("commit_changes", { message: "By the agent" }));
    await allowAll(session);
    assert.equal(
      userGit(repository, "log", "--format=%s", `main..${branch}`).trim(),
      "By the agent",
    );
    const [run] = (await session.runs()).slice(-1);
    assert.deepEqual([run?.status, run?.unusedAnswers], ["completed", []]);
    await session.remove();
    return route.how;
  },
};

/** A session in a worktree of a repository with a commit. */
async function openWorktree(rig: Rig, provider: string) {
  const { name, path: repository } = rig.newFolder();
  newRepository(repository, { "read.me": "first\n" });
  userGit(repository, "config", "user.name", "Ada");
  userGit(repository, "config", "user.email", "ada@example.com");
  const repo = await rig.client.repos.add({ path: name });
  const created = await rig.client.sessions.create({
    repoId: repo.id,
    provider,
    workspace: "worktree",
  });
  const session: SessionDriver = {
    ...talkIn(rig, created.id),
    fileNamed: (file) => path.join(repository, file),
  };
  const worktree = async () => {
    const { worktree: made } = await rig.client.sessions.get(created.id);
    assert.ok(made);
    return made;
  };
  return { session, repository, worktree };
}
