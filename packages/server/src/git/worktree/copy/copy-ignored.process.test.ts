import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openOwnGitFolder } from "../../own-git-folder.ts";
import { openGitWorld, type GitWorld } from "../../testing/worktree-world.ts";
import { createWorktree } from "../create-worktree.ts";
import { COPY_LIMITS, copyIgnored, type Copied, type CopyLimits } from "./copy-ignored.ts";

async function copy(
  world: GitWorld,
  patterns: readonly string[],
  limits: Partial<CopyLimits> = {},
): Promise<Copied> {
  const own = await openOwnGitFolder(world.repo, world.options);
  mkdirSync(world.worktree, { recursive: true });
  return copyIgnored(own, world.worktree, patterns, { ...COPY_LIMITS, ...limits });
}

function openIgnoringWorld(...rules: readonly string[]): GitWorld {
  const world = openGitWorld();
  world.write("repo/.gitignore", rules.map((rule) => `${rule}\n`).join(""));
  world.commit(world.repo, "rules");
  return world;
}

describe("ignored files that a worktree needs", () => {
  it("D7: are copied with their modes when it is made, and no others", async () => {
    const world = openIgnoringWorld(".env*", "config/*.local.json", "node_modules/", "secrets/");
    world.write("repo/.env", "TOKEN=1\n", 0o600);
    world.write("repo/app/.env.test", "TOKEN=2\n");
    world.write("repo/config/a.local.json", "{}\n", 0o755);
    world.write("repo/node_modules/x/.env", "no\n");
    world.write("repo/secrets/keys/one", "key\n");
    world.write("repo/new", "not ignored\n");
    const made = await createWorktree(
      {
        repository: world.repo,
        folder: world.worktree,
        branch: "holdfast/a-1",
        base: null,
        copy: [".env", "**/.env.*", "config/*.local.json", "secrets/keys/*", "new", "file"],
      },
      world.options,
    );
    const files = [".env", "app/.env.test", "config/a.local.json", "secrets/keys/one"];
    expect([made.copied, made.leftOut]).toEqual([files, []]);
    for (const file of files) {
      const [from, to] = [path.join(world.repo, file), path.join(world.worktree, file)];
      expect([readFileSync(to), statSync(to).mode]).toEqual([
        readFileSync(from),
        statSync(from).mode,
      ]);
    }
    expect(existsSync(path.join(world.worktree, "new"))).toBe(false);
    expect(world.git(world.worktree, "status", "--porcelain")).toBe("");
  });

  it("D7: are not links, and do not lead out of either folder", async () => {
    const world = openIgnoringWorld("*.env", "out/", "pipe");
    world.write("outside/secret", "secret\n");
    world.write("outside/x/secret.env", "secret\n");
    symlinkSync(path.join(world.folder, "outside", "secret"), path.join(world.repo, "a.env"));
    symlinkSync(path.join(world.folder, "outside"), path.join(world.repo, "out"));
    world.write("repo/deep/b.env", "fine\n");
    mkdirSync(world.worktree, { recursive: true });
    // The files of the commit have a link in the place of a folder.
    symlinkSync(path.join(world.folder, "outside"), path.join(world.worktree, "deep"));
    const { copied, leftOut } = await copy(world, ["*.env", "out/", "out/secret"]);
    expect([copied, leftOut]).toEqual([
      [],
      [
        { path: "a.env", reason: "not_a_file" },
        { path: "deep/b.env", reason: "in_the_way" },
      ],
    ]);
    expect(existsSync(path.join(world.folder, "outside", "b.env"))).toBe(false);
  });

  it("D7: replace nothing, and those beyond the limits are named", async () => {
    const world = openIgnoringWorld("*.env", "all/");
    for (const name of ["a", "b", "c", "d"]) world.write(`repo/${name}.env`, `${name}\n`);
    world.write("repo/big.env", Buffer.alloc(1_000));
    world.write("repo/all/1/2", "x");
    world.write("repo/all/3/4", "x");
    mkdirSync(world.worktree, { recursive: true });
    writeFileSync(path.join(world.worktree, "a.env"), "mine\n");
    expect(await copy(world, ["*.env"], { files: 2, bytes: 100 })).toEqual({
      copied: ["b.env", "c.env"],
      leftOut: [
        { path: "a.env", reason: "exists" },
        { path: "big.env", reason: "too_large" },
        { path: "d.env", reason: "too_many" },
      ],
    });
    expect(await copy(world, ["all/"], { looks: 2 })).toEqual({
      copied: ["all/1/2"],
      leftOut: [{ path: "all/3/", reason: "too_many" }],
    });
    expect(readFileSync(path.join(world.worktree, "a.env"), "utf8")).toBe("mine\n");
  });

  it("D7: are found without a look into ignored folders that no pattern names", async () => {
    const world = openIgnoringWorld("node_modules", ".env");
    world.write("repo/.env", "x\n");
    world.write("repo/node_modules/deep/.env", "x\n");
    // A look inside would fail for a user who is not root; for root the number of looks tells it.
    chmodSync(path.join(world.repo, "node_modules"), 0o100);
    const { copied, leftOut } = await copy(world, [".env", "**/.env"], { looks: 0 });
    chmodSync(path.join(world.repo, "node_modules"), 0o755);
    expect([copied, leftOut]).toEqual([[".env"], []]);
  });

  it("D7: may have names that are not UTF-8", async () => {
    const world = openIgnoringWorld("*.env");
    const name = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(".env")]);
    writeFileSync(Buffer.concat([Buffer.from(`${world.repo}/`), name]), "odd\n");
    const { copied } = await copy(world, ["*.env"]);
    expect(copied).toEqual([name.toString("latin1")]);
    expect(readFileSync(Buffer.concat([Buffer.from(`${world.worktree}/`), name]), "utf8")).toBe(
      "odd\n",
    );
  });
});
