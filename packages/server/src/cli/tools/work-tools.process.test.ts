import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { PermissionDecision } from "../../domain/policy/permission-policy.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { userGit } from "../../git/testing/new-repository.ts";
import { echo, mcp, say, script, waitFor, write } from "../../providers/testing/script.ts";
import { WORK_TOOLS, type WorkTool } from "../../runtime/keep/keep-settings.ts";
import { ok, transcript } from "../../runtime/testing/test-runtime.ts";
import { ToolWorld } from "../testing/tool-world.ts";

let world: ToolWorld;
let id: string;
afterEach(() => world.close());

const COMMIT = mcp("commit_changes", { message: "By the agent" });

interface Begin {
  readonly tools?: readonly WorkTool[];
  readonly decision?: PermissionDecision;
  readonly mcpHttp?: boolean;
}

/** Begins a session in a worktree, whose agent commits whenever it is told an answer. */
async function begin({ tools = WORK_TOOLS, decision, mcpHttp = true }: Begin = {}): Promise<void> {
  world = await ToolWorld.open({
    agents: [{ otherwise: [COMMIT, echo()], capabilities: { mcpHttp } }],
    files: { "a.txt": "a\n" },
    worktrees: { agentTools: tools },
    ...(decision !== undefined && {
      permissions: { rules: [{ tool: "commit_changes", decision }], phases: {} },
    }),
  });
  userGit(world.test.repoPath, "config", "user.name", "Ada");
  userGit(world.test.repoPath, "config", "user.email", "ada@example.com");
  id = await world.test.createSession({
    workspace: { kind: "worktree", base: null },
    title: "Change a",
  });
}

async function asked(): Promise<Suspension> {
  const { session } = await world.test.until(id, (whole) => whole.session.state === "suspended");
  const [suspension] = session.suspensions;
  if (suspension === undefined) throw new Error("nothing is asked");
  return suspension;
}

/** The agent has ended its prompt. */
async function left(): Promise<void> {
  await world.test.until(id, ({ messages }) =>
    messages.some(({ content, complete }) => complete && content["text"] === "done for now"),
  );
}

async function answer(choice: string): Promise<void> {
  const { id: suspensionId } = await asked();
  ok(await world.test.runtime.answer({ sessionId: id, suspensionId, answer: choice, by: "ada" }));
}

/** The subjects of the commits on the branch of the session, without the first one. */
async function commits(): Promise<readonly string[]> {
  const { session } = await world.test.read(id);
  const { branch = "" } = session.workspace.worktree ?? {};
  const lines = userGit(world.test.repoPath, "log", "--format=%s", `main..${branch}`);
  return lines.split("\n").filter((line) => line !== "");
}

async function said(): Promise<string> {
  return transcript(await world.test.idle(id)).join("\n");
}

describe.each([
  ["over stdio", false],
  ["over HTTP", true],
])("an agent that keeps its work, %s", (_, mcpHttp) => {
  it("commits when a person has allowed it, and only then (D7)", async () => {
    await begin({ mcpHttp });
    await world.test.send(id, script(write("a.txt", "b\n"), COMMIT, say("done for now", "m2")));
    const suspension = await asked();
    expect(suspension).toMatchObject({
      kind: "permission",
      request: { title: "Commit all changes", input: { message: "By the agent" } },
    });
    await left();
    expect(await commits()).toEqual([]);
    await answer("allow_once");
    const text = await said();
    expect(text).toContain("Call commit_changes again now, with the same arguments.");
    expect(text).toMatch(/mcp: Committed 1 file as [0-9a-f]{40}\./u);
    expect(text).not.toContain("The server or your process ended");
    expect(await commits()).toEqual(["By the agent"]);
    const [run] = await world.test.store.readRuns(id);
    expect(run).toMatchObject({ status: "completed", unusedAnswers: [] });
  });
});

describe("the permission for a tool that keeps work", () => {
  it("is given by the policy, without a question or another prompt (D7)", async () => {
    await begin({ decision: "allow" });
    await world.test.send(id, script(write("a.txt", "b\n"), COMMIT));
    const whole = await world.test.idle(id);
    expect(transcript(whole).at(-1)).toMatch(/^agent mcp: Committed 1 file/u);
    expect(transcript(whole).filter((line) => line.startsWith("agent "))).toHaveLength(1);
    expect(await commits()).toEqual(["By the agent"]);
  });

  it("is refused by the policy (D7)", async () => {
    await begin({ decision: "deny" });
    await world.test.send(id, script(write("a.txt", "b\n"), COMMIT));
    expect(transcript(await world.test.idle(id)).at(-1)).toContain(
      "Refused: permission_denied: The permission policy denies it (policy: permissions.rules[0])",
    );
    expect(await commits()).toEqual([]);
  });

  it("is used once, survives a restart, and is asked again for another call (D7)", async () => {
    await begin();
    await world.test.send(id, script(write("a.txt", "b\n"), COMMIT, say("done for now", "m2")));
    await asked();
    await left();
    await world.restart();
    await answer("allow_once");
    await said();
    expect(await commits()).toEqual(["By the agent"]);
    await world.test.send(id, script(write("a.txt", "c\n"), COMMIT));
    await answer("reject_once");
    expect(await said()).toContain("The user REJECTED it");
    expect(await commits()).toEqual(["By the agent"]);
  });

  it("holds for the rest of the session if the person says so (D7)", async () => {
    await begin();
    await world.test.send(id, script(write("a.txt", "b\n"), COMMIT, say("done for now", "m2")));
    await asked();
    await left();
    await answer("allow_always");
    await said();
    await world.test.send(
      id,
      script(write("a.txt", "c\n"), mcp("commit_changes", { message: "Another" })),
    );
    await said();
    expect(await commits()).toEqual(["Another", "By the agent"]);
  });

  it("waits for the next prompt, even if the agent calls again at once (D7)", async () => {
    await begin();
    const gate = path.join(world.test.folder, "gate");
    await world.test.send(
      id,
      script(write("a.txt", "b\n"), COMMIT, waitFor(gate), COMMIT, say("done for now", "m2")),
    );
    await answer("allow_once");
    writeFileSync(gate, "");
    const text = await said();
    expect(text.match(/Committed 1 file/gu)).toHaveLength(1);
    expect(await commits()).toEqual(["By the agent"]);
  });

  it("is not asked for without end: a run has at most 20 open questions (D7)", async () => {
    await begin();
    const questions = Array.from({ length: 20 }, (_, n) => mcp("ask_human", { question: `${n}?` }));
    await world.test.send(id, script(...questions, COMMIT, say("done for now", "m2")));
    await left();
    const whole = await world.test.read(id);
    expect(whole.session.suspensions).toHaveLength(20);
    expect(transcript(whole).join("\n")).toContain(
      "Refused: suspensions_full: The run waits for 20 answers already.",
    );
  });

  it("is of no use to an agent that does not have the tool (D7)", async () => {
    await begin({ tools: ["rebase_branch"], decision: "allow" });
    await world.test.send(id, script(write("a.txt", "b\n"), COMMIT));
    expect(transcript(await world.test.idle(id)).at(-1)).toContain("commit_changes not found");
    const response = await fetch(`${world.url}/api/agent/sessions/${id}/work`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${world.tokens.of(id)}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ tool: "commit_changes" }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: "tool_not_given" },
    ]);
    expect(await commits()).toEqual([]);
  });
});

describe("the other tools that keep work", () => {
  it("rebase, merge, push and open a pull request as configured (D7)", async () => {
    await begin({ decision: "allow" });
    const remote = path.join(world.test.folder, "remote.git");
    userGit(world.test.repoPath, "init", "--quiet", "--bare", remote);
    await world.restart({
      permissions: { rules: [{ tool: "*", decision: "allow" }], phases: {} },
      worktrees: {
        agentTools: WORK_TOOLS,
        remote: `file://${remote}`,
        pullRequest: "echo https://example.com/pull/7",
      },
    });
    await world.test.send(
      id,
      script(
        write("a.txt", "b\n"),
        mcp("merge_branch", {}),
        COMMIT,
        mcp("rebase_branch", {}),
        mcp("push_branch", {}),
        mcp("open_pull_request", { title: "A" }),
        mcp("merge_branch", { into: "main" }),
      ),
    );
    const text = await said();
    expect(text).toContain("Refused: not_committed: There is work that is not committed: a.txt.");
    expect(text).toMatch(/Rebased onto main; the branch is at/u);
    expect(text).toMatch(/Pushed holdfast\/change-a-/u);
    expect(text).toContain("Opened https://example.com/pull/7");
    expect(text).toMatch(/Merged into main, which is at/u);
    expect(userGit(world.test.repoPath, "log", "-1", "--format=%s", "main").trim()).toBe(
      "By the agent",
    );
    expect(userGit(remote, "branch", "--list", "--format=%(refname:short)")).toMatch(
      /^holdfast\/change-a-/u,
    );
    expect((await world.test.read(id)).session.workspace.pullRequest).toBe(
      "https://example.com/pull/7",
    );
  });
});
