import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { giveAway } from "../../packages/server/src/git/testing/give-away.ts";
import { holdfast, prepareFolder, removeFolder, startHoldfast } from "../e2e/holdfast-process.ts";

const OWNER = 54_321;

it("Git of an agent works in a mounted repository of another user if the operator allows it", async () => {
  needProgram("git");
  const rules = [{ kind: "execute", decision: "allow" }];
  const { folder, data, root } = prepareFolder({ permissions: { rules } });
  onTestFinished(() => removeFolder(folder));
  const repo = path.join(root, "mounted");
  mkdirSync(repo);
  execFileSync("git", ["init", "--quiet"], { cwd: repo });
  giveAway(repo, OWNER);
  const env = { AGENT_WORKSPACE_ROOT: root, HOME: folder };

  const strict = await startHoldfast({ data, env });
  const refused = await holdfast(["create", "--repo", repo, "--data", data], env);
  await strict.end("SIGTERM");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(
    `Git refuses to work in "${repo}", because it belongs to another user (ID ${OWNER}). To allow it, start the server with HOLDFAST_GIT_OWNERS=${OWNER}`,
  );

  const trusting = await startHoldfast({ data, env: { ...env, HOLDFAST_GIT_OWNERS: `${OWNER}` } });
  const created = await holdfast(["create", "--repo", repo, "--data", data], env);
  const sent = await holdfast(["send", created.stdout.trim(), "run", "--data", data], env);
  await trusting.end("SIGTERM");
  expect(created.stderr).toBe("");
  expect(sent.stdout).toContain("Git reports 0 changed files.");
});
