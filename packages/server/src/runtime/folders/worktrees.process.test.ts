import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { userGit } from "../../git/testing/new-repository.ts";
import { script, say, shell, tell, waitFor, write } from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";
import type { FolderSettings } from "./folder-settings.ts";

let test: TestRuntime;
const open = async (worktrees: Partial<FolderSettings> = {}): Promise<TestRuntime> =>
  TestRuntime.open({ files: { "a.txt": "a\n", ".gitignore": ".env\n" }, worktrees });
beforeEach(async () => {
  test = await open();
});
afterEach(() => test.close());

const worktreeOf = async (id: string): Promise<string> => {
  const { session } = await test.read(id);
  const { worktree } = session.workspace;
  if (worktree === null) throw new Error("the session has no worktree");
  return worktree.folder;
};

async function turn(id: string, ...steps: Parameters<typeof write>[]): Promise<void> {
  await test.send(id, script(...steps.map((args) => write(...args))));
  await test.idle(id);
}

const own = { kind: "worktree", base: null } as const;

describe("a session with a worktree of its own", () => {
  it("D7 works on a new branch, beside others that work in the same repository", async () => {
    const [one, two] = [
      await test.createSession({ workspace: own, title: "Tidy up!" }),
      await test.createSession({ workspace: own, title: "Tidy up!" }),
    ];
    expect((await test.read(one)).session.workspace).toEqual({ ...own, worktree: null });
    await Promise.all(
      [one, two].map(async (id) => {
        await test.send(id, script(tell("cwd"), shell(`echo ${id} > mine.txt`)));
        await test.idle(id);
      }),
    );
    const folders = [await worktreeOf(one), await worktreeOf(two)];
    expect(new Set(folders).size).toBe(2);
    for (const [at, id] of [one, two].entries()) {
      const folder = folders[at] ?? "";
      expect(readFileSync(path.join(folder, "mine.txt"), "utf8")).toBe(`${id}\n`);
      expect(transcript(await test.read(id)).join("\n")).toContain(`cwd: ${folder}`);
      const branch = userGit(folder, "branch", "--show-current").trim();
      expect(branch).toMatch(/^holdfast\/tidy-up-[0-9a-f]{8}$/u);
      const changes = ok(await test.runtime.readChanges({ sessionId: id }));
      expect(changes.files.map((file) => file.path)).toEqual(["mine.txt"]);
    }
    expect(existsSync(path.join(test.repoPath, "mine.txt"))).toBe(false);
    expect(userGit(test.repoPath, "status", "--porcelain")).toBe("");
  });

  it("D7 begins where it was asked to, and says so if that does not exist", async () => {
    userGit(test.repoPath, "tag", "start");
    writeFileSync(path.join(test.repoPath, "a.txt"), "later\n");
    userGit(test.repoPath, "commit", "--quiet", "--all", "--message", "later");
    const id = await test.createSession({ workspace: { ...own, base: "start" } });
    await turn(id, [path.join(test.folder, "x"), ""]);
    expect(readFileSync(path.join(await worktreeOf(id), "a.txt"), "utf8")).toBe("a\n");
    const lost = await test.createSession({ workspace: { ...own, base: "nowhere" } });
    await turn(lost, [path.join(test.folder, "y"), ""]);
    expect(transcript(await test.read(lost)).at(-1)).toContain("The worktree cannot be made");
    expect(existsSync(path.join(test.folder, "y"))).toBe(false);
  });

  it("D7 gets ignored files that it needs, and a command prepares it", async () => {
    await test.close();
    test = await open({ copy: [".env"], setup: "cat .env > ready.txt && echo prepared" });
    writeFileSync(path.join(test.repoPath, ".env"), "KEY=1\n");
    const id = await test.createSession({ workspace: own });
    await test.send(id, script(say("hello")));
    await test.idle(id);
    const folder = await worktreeOf(id);
    expect(readFileSync(path.join(folder, "ready.txt"), "utf8")).toBe("KEY=1\n");
    const said = await test.read(id);
    expect(transcript(said).slice(1, -1)).toEqual([
      expect.stringContaining("Copied from the repository: .env."),
      "tool cat .env > ready.txt && echo prepared completed",
    ]);
    const call = said.messages.find(({ content }) => content.type === "tool");
    expect(call?.content["output"]).toEqual([{ type: "terminal", text: "prepared\n" }]);
    await test.send(id, script(say("again")));
    await test.idle(id);
    expect(transcript(await test.read(id)).filter((line) => line.startsWith("tool"))).toHaveLength(
      1,
    );
  });

  it("D7 does not start an agent if the command fails, and tries again with the next message", async () => {
    await test.close();
    test = await open({ setup: `test -e ${tmpGate()} || { echo missing; exit 3; }` });
    const id = await test.createSession({ workspace: own });
    await test.send(id, script(say("hello")));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content["text"]).toContain("failed with code 3");
    expect(transcript(await test.read(id))).not.toContain("agent hello");
    writeFileSync(tmpGate(), "");
    await test.send(id, script(say("hello")));
    await test.idle(id);
    expect(transcript(await test.read(id)).at(-1)).toBe("agent hello");
    rmSync(tmpGate());
  });

  it("D7 is removed with the session when it is clean, and kept when it is not", async () => {
    const clean = await test.createSession({ workspace: own });
    const dirty = await test.createSession({ workspace: own });
    for (const id of [clean, dirty]) {
      await test.send(id, script(say("hello")));
      await test.idle(id);
    }
    const [folder, kept] = [await worktreeOf(clean), await worktreeOf(dirty)];
    writeFileSync(path.join(kept, "work.txt"), "work\n");
    const gone = ok(await test.runtime.deleteSession({ sessionId: clean }));
    expect([gone.worktreeEnd, existsSync(folder)]).toEqual([
      { path: folder, removed: true, message: null, keptAs: null },
      false,
    ]);
    const still = ok(await test.runtime.deleteSession({ sessionId: dirty }));
    expect(still.worktreeEnd).toMatchObject({ path: kept, removed: false });
    expect(readFileSync(path.join(kept, "work.txt"), "utf8")).toBe("work\n");
  });

  it("D7 keeps work that is not committed as a ref when its removal is forced", async () => {
    const id = await test.createSession({ workspace: own });
    await test.send(id, script(shell("echo work > work.txt")));
    await test.idle(id);
    const folder = await worktreeOf(id);
    const { worktreeEnd } = ok(
      await test.runtime.deleteSession({ sessionId: id, forceWorktree: true }),
    );
    const ref = `refs/holdfast/kept/${id}`;
    expect(worktreeEnd).toEqual({ path: folder, removed: true, message: null, keptAs: ref });
    expect(userGit(test.repoPath, "show", `${ref}:work.txt`)).toBe("work\n");
    expect(existsSync(folder)).toBe(false);
  });

  it("D7 goes on in its worktree after a crash of the server", async () => {
    const id = await test.createSession({ workspace: own });
    const go = path.join(test.folder, "go");
    await test.send(id, script(tell("cwd"), waitFor(go)));
    await test.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
    const folder = await worktreeOf(id);
    await test.restartAfterCrash();
    await test.idle(id);
    await test.send(id, script(tell("cwd")));
    await test.idle(id);
    expect(transcript(await test.read(id)).at(-1)).toBe(`agent cwd: ${folder}`);
  });
});

function tmpGate(): string {
  return path.join(tmpdir(), `holdfast-gate-${process.pid}`);
}
