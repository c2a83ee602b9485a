import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { BUILT_IN } from "../built-in.ts";
import type { Mount } from "./mount.ts";
import { planMounts, type MountedAgent } from "./plan-mounts.ts";

let folder: string;
let home: string;
let repo: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-mounts-")));
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  [home, repo] = [path.join(folder, "home"), path.join(folder, "repo")];
  for (const one of [home, repo]) mkdirSync(one);
});

/** The planned mounts inside the folder of this test, in order, as `kind path`. */
function plan(agent: Partial<MountedAgent>, hidden: readonly string[] = []): readonly string[] {
  const mounts: readonly Mount[] = planMounts(
    {
      workspace: { path: repo, descriptor: null },
      command: ["/bin/true"],
      environment: { HOME: home, PATH: "/usr/bin" },
      mounts: [],
      toolServers: [],
      network: null,
      ...agent,
    },
    hidden,
  );
  return mounts
    .filter((mount) => mount.path.startsWith(folder))
    .map(({ kind, path: where }) => `${kind} ${path.relative(folder, where) || "."}`);
}

/** Creates an executable file and its folders. */
function program(file: string, text = "#!/bin/sh\n"): string {
  const whole = path.join(folder, file);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  chmodSync(whole, 0o755);
  return whole;
}

describe("the mounts of a program", () => {
  it("are its package and libraries, its link, and its interpreter", () => {
    const node = program("home/.versions/node/bin/node");
    const script = program(
      "home/.versions/node/lib/node_modules/x/agent.js",
      "#!/usr/bin/env node\n",
    );
    writeFileSync(path.join(path.dirname(script), "package.json"), "{}");
    symlinkSync(script, path.join(path.dirname(node), "agent"));
    const PATH = path.dirname(node);
    const command = [path.join(PATH, "agent")];
    expect(plan({ command, environment: { HOME: home, PATH } })).toEqual([
      "fresh home",
      "workspace repo",
      "read home/.versions/node/bin",
      "read home/.versions/node/lib",
    ]);
  });

  it("are only the file if its folder contains hidden paths", () => {
    const agent = program("home/agent");
    expect(plan({ command: [agent] })).toEqual(["fresh home", "workspace repo", "read home/agent"]);
    const other = program("agent");
    expect(plan({ command: [other] }, [path.join(folder, "data")])).toEqual([
      "read agent",
      "fresh home",
      "workspace repo",
    ]);
  });

  it("are the folder of a script, and only the file for other arguments", () => {
    const script = program("home/agents/agent.py");
    const key = program("home/.keys/key");
    program("home/.keys/other");
    expect(plan({ command: ["/usr/bin/env", script, "--key", key] })).toEqual(
      ["fresh home", "workspace repo", "read home/agents", "read home/.keys/key"].toSorted(
        (one, other) => one.split("/").length - other.split("/").length,
      ),
    );
  });

  it("do not include the target of a link in the repository or in a writable mount", () => {
    program("home/.ssh/id");
    mkdirSync(path.join(home, ".mine"));
    for (const place of [repo, path.join(home, ".mine")]) {
      symlinkSync(path.join(home, ".ssh", "id"), path.join(place, "agent"));
      expect(plan({ command: [path.join(place, "agent")], mounts: ["~/.mine"] })).toEqual([
        "fresh home",
        "workspace repo",
        "write home/.mine",
      ]);
    }
  });

  it("include no folder of the search path that contains hidden paths or is inside one", () => {
    for (const bin of ["home/bin", "root/other/bin"])
      mkdirSync(path.join(folder, bin), { recursive: true });
    const root = path.join(folder, "root");
    const PATH = [
      home,
      folder,
      "/",
      ".",
      "bin",
      path.join(root, "other/bin"),
      path.join(home, "bin"),
    ].join(":");
    expect(plan({ environment: { HOME: home, PATH } }, [root])).toEqual([
      "fresh home",
      "workspace repo",
      "read home/bin",
    ]);
  });
});

describe("a hidden path", () => {
  it("is covered inside a mount, except for the repository in it", () => {
    const data = path.join(repo, "data");
    mkdirSync(path.join(data, "demo"), { recursive: true });
    writeFileSync(path.join(repo, "file.db"), "");
    expect(
      plan({ mounts: [path.join(data, "demo")] }, [data, path.join(repo, "file.db"), folder]),
    ).toEqual([
      "fresh home",
      "workspace repo",
      "fresh repo/data",
      "blank repo/file.db",
      "write repo/data/demo",
    ]);
  });

  it("may be the home, even inside the repository, but not the repository itself", () => {
    expect(plan({ workspace: { path: folder, descriptor: null } })).toEqual([
      "workspace .",
      "fresh home",
    ]);
    expect(plan({ workspace: { path: home, descriptor: null } })).toEqual(["workspace home"]);
  });

  it("stays hidden if it is configured as a mount", () => {
    const data = path.join(home, "data");
    mkdirSync(data);
    for (const mounts of [[data], [home], ["/"], [`${home}/`]])
      expect(plan({ mounts }, [data]).filter((one) => !one.startsWith("fresh"))).toEqual([
        "workspace repo",
      ]);
  });
});

describe("a mount", () => {
  it("is left out inside a folder that agents can write", () => {
    mkdirSync(path.join(home, ".mine", "cache"), { recursive: true });
    mkdirSync(path.join(repo, "cache"));
    const mounts = ["~/.mine", "~/.mine/cache", path.join(repo, "cache"), `${repo}/cache:ro`];
    expect(plan({ mounts })).toEqual(["fresh home", "workspace repo", "write home/.mine"]);
  });

  it.each(BUILT_IN.map(({ name, mounts }) => [name, mounts] as const))(
    "of %s is inside the home or named by a variable, and is not the whole home",
    (_name, mounts) => {
      expect(mounts.length).toBeGreaterThan(0);
      for (const mount of mounts)
        expect(mount).toMatch(/^(~\/\.[\w./-]+|\$[A-Z_]+(:ro|\/[\w/]*)?)$/u);
      const planned = plan({ mounts });
      expect(planned.slice(0, 2)).toEqual(["fresh home", "workspace repo"]);
      expect(planned.slice(2).every((one) => one.startsWith("write home/."))).toBe(true);
      expect(planned.length).toBeGreaterThan(2);
    },
  );
});
