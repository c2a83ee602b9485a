import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createCatalog } from "../../providers/catalog.ts";
import { scriptedDefinition } from "../../providers/testing/scripted-provider.ts";
import { createResumeProbes } from "./resume-probes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-probes-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const absent = scriptedDefinition({
  name: "absent",
  definition: { command: ["no-such-program-here"] },
});

let now = 0;

function probes(defaultName: string | null = null) {
  return createResumeProbes(
    createCatalog({
      demo: scriptedDefinition({ name: "demo" }),
      definitions: [absent],
      defaultName,
      owner: "probes",
      environment: { PATH: folder },
      journalFolder: null,
      clientVersion: "test",
    }),
    { clock: () => now },
  );
}

it("a folder is a repository when it has a .git, be it a folder or a file (B3)", async () => {
  const { workspace } = probes();
  const made = (name: string): string => {
    mkdirSync(path.join(folder, name));
    return path.join(folder, name);
  };
  const [plain, usual, linked, broken] = ["plain", "usual", "linked", "broken"].map(made);
  mkdirSync(path.join(usual ?? "", ".git"));
  writeFileSync(path.join(linked ?? "", ".git"), "gitdir: ../usual/.git/worktrees/linked\n");
  symlinkSync("/not/there", path.join(broken ?? "", ".git"));
  const asked = [plain, usual, linked, broken, path.join(folder, "gone")];
  expect(await Promise.all(asked.map((one) => workspace(one ?? "")))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});

it("a provider is installed, not installed or not known; without a name it is the default one (B3)", async () => {
  const { provider } = probes();
  expect(await Promise.all(["demo", "absent", "nobody", null].map(provider))).toEqual([
    "installed",
    "not_installed",
    "not_known",
    "installed",
  ]);
  expect(await probes("absent").provider(null)).toBe("not_installed");
});

it("a provider that comes or goes is noticed within five seconds (B3)", async () => {
  const { provider } = probes();
  const program = path.join(folder, "no-such-program-here");
  const after = async (ms: number) => {
    now += ms;
    return provider("absent");
  };
  expect(await after(0)).toBe("not_installed");
  writeFileSync(program, "", { mode: 0o755 });
  expect([await after(4_999), await after(1)]).toEqual(["not_installed", "installed"]);
  rmSync(program);
  expect([await after(4_999), await after(1)]).toEqual(["installed", "not_installed"]);
  writeFileSync(program, "", { mode: 0o755 });
  expect(await after(-60_000)).toBe("installed");
});
