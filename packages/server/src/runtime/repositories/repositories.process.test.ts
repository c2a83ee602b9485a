import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needProc } from "../../domain/testing/machine.ts";
import { NOON } from "../../domain/testing/commands.ts";
import { beginSession } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { createRepositories, type Repositories } from "./repositories.ts";
import { openWorkspaceRoot, type Violation } from "./workspace-root.ts";

describe.each(["sqlite", "postgres"] as const)("repositories on %s", (engine) => {
  let test: TestStore;
  let base: string;
  let repositories: Repositories;
  let violations: Violation["reason"][];
  /** The folder that Git refuses. */
  let refused: string | null;

  beforeEach(async () => {
    test = await openTestStore(engine);
    base = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-test-")));
    for (const folder of ["root/one/.git", "root/two/.git", "root/plain", "outside/.git"])
      mkdirSync(path.join(base, folder), { recursive: true });
    violations = [];
    refused = null;
    let ids = 0;
    repositories = createRepositories({
      store: test.store,
      root: await openWorkspaceRoot(path.join(base, "root"), {
        onViolation: ({ reason }) => violations.push(reason),
      }),
      newId: () => `repo-${(ids += 1)}`,
      clock: () => NOON,
      findRefusedOwner: async (folder) => (folder === refused ? 1001 : null),
    });
  });
  afterEach(async () => {
    await test.close();
    rmSync(base, { recursive: true, force: true });
  });

  const real = (name: string): string => path.join(base, "root", name);
  const one = () => ({ id: "repo-1", path: real("one"), name: "one", createdAt: NOON });

  it("A14 are added by a path inside the root, named by their folder unless named otherwise", async () => {
    expect(await repositories.add({ path: "one/", name: null })).toEqual({ ok: true, repo: one() });
    expect(await repositories.add({ path: real("two"), name: "  My two\0  " })).toEqual({
      ok: true,
      repo: { id: "repo-2", path: real("two"), name: "My two", createdAt: NOON },
    });
    expect((await repositories.list()).map(({ id }) => id).toSorted()).toEqual([
      "repo-1",
      "repo-2",
    ]);
  });

  it("are the same repository by whatever path they are added again", async () => {
    await repositories.add({ path: "one", name: null });
    symlinkSync("one", real("alias"));
    for (const again of ["one", "./one//", "alias", "two/../one", real("one")]) {
      expect(await repositories.add({ path: again, name: "other" })).toEqual({
        ok: true,
        repo: one(),
      });
    }
    expect(await repositories.list()).toEqual([one()]);
  });

  it.each([
    ["../outside", "path_outside_root"],
    ["gone", "path_not_found"],
    ["plain", "not_a_repository"],
  ])("A14 are refused at %s with %s, and not stored", async (asked, code) => {
    expect(await repositories.add({ path: asked, name: null })).toEqual({
      ok: false,
      refusal: { code, message: expect.stringContaining(`"${asked}"`), status: null, state: null },
    });
    expect(await repositories.list()).toEqual([]);
    expect(violations).toEqual(code === "path_outside_root" ? ["outside_root"] : []);
  });

  it("are refused with the setting that helps if they belong to another user, and not stored", async () => {
    refused = real("one");
    expect(await repositories.add({ path: "one", name: null })).toEqual({
      ok: false,
      refusal: {
        code: "repository_owner_refused",
        message: expect.stringContaining("HOLDFAST_GIT_OWNERS=1001"),
        status: null,
        state: null,
      },
    });
    expect(await repositories.list()).toEqual([]);
    expect(await repositories.add({ path: "two", name: null })).toMatchObject({ ok: true });
  });

  it("A1 are removed unless a session is bound to them", async () => {
    await repositories.add({ path: "one", name: null });
    const session = await beginSession(test.store, { repoId: "repo-1" });
    expect(await repositories.remove("repo-1")).toEqual({
      ok: false,
      refusal: {
        code: "repository_in_use",
        message: "one still has sessions, maybe archived ones. Delete them first.",
        status: null,
        state: null,
      },
    });
    await session.perform({ type: "delete" });
    expect(await repositories.remove("repo-1")).toEqual({ ok: true, repo: one() });
    expect(await repositories.remove("repo-1")).toMatchObject({
      ok: false,
      refusal: { code: "repository_not_found" },
    });
  });

  it("A14 are looked at again each time an agent is to start in one", async () => {
    await repositories.add({ path: "one", name: null });
    const opened = await repositories.openForAgent("repo-1");
    if (!opened.ok) throw new Error(opened.refusal.message);
    expect(opened.workspace).toMatchObject({
      path: real("one"),
      descriptor: expect.any(Number),
    });
    needProc();
    expect(readdirSync(`/proc/self/fd/${String(opened.workspace.descriptor)}`)).toEqual([".git"]);
    await opened.workspace.close();

    const refusedAs = async () => {
      const again = await repositories.openForAgent("repo-1");
      return again.ok ? "opened" : again.refusal.code;
    };
    renameSync(real("one"), real("moved"));
    expect(await refusedAs()).toBe("path_not_found");
    symlinkSync(path.join(base, "outside"), real("one"));
    expect(await refusedAs()).toBe("path_outside_root");
    expect(violations).toEqual(["leads_outside"]);
    rmSync(real("one"));
    mkdirSync(real("one"));
    expect(await refusedAs()).toBe("not_a_repository");
    mkdirSync(path.join(real("one"), ".git"));
    expect(await refusedAs()).toBe("opened");
    expect(await repositories.openForAgent("none")).toMatchObject({
      refusal: { code: "repository_not_found" },
    });
  });

  it("A14 are looked at once for all who ask at the same time, and again for who asks later", async () => {
    await repositories.add({ path: "one", name: null });
    const ask = async () => (await repositories.refuse("repo-1"))?.refusal.code ?? "usable";
    const askTwice = () => Promise.all([ask(), ask()]);
    expect(await askTwice()).toEqual(["usable", "usable"]);
    renameSync(real("one"), real("moved"));
    symlinkSync(path.join(base, "outside"), real("one"));
    expect(await askTwice()).toEqual(["path_outside_root", "path_outside_root"]);
    expect(violations).toEqual(["leads_outside"]);
    expect(await ask()).toBe("path_outside_root");
    expect(violations).toHaveLength(2);
    rmSync(real("one"));
    renameSync(real("moved"), real("one"));
    expect(await ask()).toBe("usable");
  });
});
