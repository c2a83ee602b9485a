import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { needProgram } from "../domain/testing/machine.ts";
import { giveAway } from "./testing/give-away.ts";
import { findRefusedOwner, ownershipVariables } from "./git-ownership.ts";
import { hardenedGitEnvironment } from "./hardened-git.ts";

const OWNER = 54_321;

function openHome(): { readonly home: string; readonly env: Record<string, string> } {
  needProgram("git");
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-owner-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { home, env: { PATH: process.env["PATH"] ?? "", HOME: home, LC_ALL: "C" } };
}

function addRepository(home: string, name: string): string {
  const repo = path.join(home, name);
  mkdirSync(repo);
  execFileSync("git", ["init", "--quiet"], { cwd: repo });
  return repo;
}

/** The exit code of Git, and whether it complained about the owner. */
function gitStatus(cwd: string, env: Record<string, string>) {
  const { status, stderr } = spawnSync("git", ["status", "--short"], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { status, refused: stderr.includes("dubious ownership") };
}

const WORKS = { status: 0, refused: false };
const REFUSED = { status: 128, refused: true };

describe("a repository of another user", () => {
  it("works with Git if its owner is trusted, and no other repository does", async () => {
    const { home, env } = openHome();
    const [repo, other] = [addRepository(home, "repo"), addRepository(home, "other")];
    giveAway(repo, OWNER);
    giveAway(other, OWNER);
    expect(gitStatus(repo, env)).toEqual(REFUSED);
    for (const owners of ["any", [1, OWNER]] as const) {
      const variables = await ownershipVariables(repo, owners, env);
      expect(gitStatus(repo, { ...env, ...variables })).toEqual(WORKS);
      expect(gitStatus(other, { ...env, ...variables })).toEqual(REFUSED);
      expect(await findRefusedOwner(repo, owners, env)).toBeNull();
    }
  });

  it("does not if only its folder or only its .git has a trusted owner", async () => {
    const { home, env } = openHome();
    const repo = addRepository(home, "repo");
    giveAway(repo, OWNER);
    chownSync(path.join(repo, ".git"), OWNER + 1, OWNER);
    expect(await ownershipVariables(repo, [OWNER], env)).toEqual({});
    expect(await findRefusedOwner(repo, [OWNER], env)).toBe(OWNER + 1);
  });

  it("is refused with its owner, unless the settings of the user allow it", async () => {
    const { home, env } = openHome();
    const repo = addRepository(home, "repo");
    giveAway(repo, OWNER);
    for (const owners of [[], [1]]) {
      expect(await ownershipVariables(repo, owners, env)).toEqual({});
      expect(await findRefusedOwner(repo, owners, env)).toBe(OWNER);
    }
    execFileSync("git", ["config", "--global", "safe.directory", repo], { env });
    expect(await findRefusedOwner(repo, [], env)).toBeNull();
  });

  it("works with hardened Git, and with other settings in the environment", async () => {
    const { home, env } = openHome();
    const repo = addRepository(home, "repo");
    giveAway(repo, OWNER);
    const given = {
      ...env,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "Ann",
    };
    const trusting = { ...given, ...(await ownershipVariables(repo, "any", given)) };
    const name = spawnSync("git", ["config", "user.name"], {
      cwd: repo,
      env: trusting,
      encoding: "utf8",
    });
    expect(name.stdout).toBe("Ann\n");
    expect(gitStatus(repo, await hardenedGitEnvironment(repo, trusting))).toEqual(WORKS);
  });
});

describe("no exception is needed for", () => {
  it("a repository of the server's user", async () => {
    const { home, env } = openHome();
    const repo = addRepository(home, "repo");
    expect(await ownershipVariables(repo, "any", env)).toEqual({});
    expect(await findRefusedOwner(repo, [], env)).toBeNull();
  });

  it("a folder that Git cannot read anyway, or that does not exist", async () => {
    const { home, env } = openHome();
    const folder = path.join(home, "folder");
    mkdirSync(path.join(folder, ".git"), { recursive: true });
    giveAway(folder, OWNER);
    expect(await findRefusedOwner(folder, [], env)).toBeNull();
    expect(await findRefusedOwner(path.join(home, "nothing"), [], env)).toBeNull();
  });
});
