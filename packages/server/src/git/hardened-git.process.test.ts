import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hardenedGitEnvironment } from "./hardened-git.ts";
import { openTrickyRepository } from "./testing/tricky-repository.ts";

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

it("finds programs only in absolute folders: others are in the repository", async () => {
  const { repo } = openTrickyRepository();
  const environment = { ...process.env, PATH: `.:${process.env["PATH"]}::bin` };
  const env = await hardenedGitEnvironment(repo, environment);
  expect(env["PATH"]).toBe(process.env["PATH"]);
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
