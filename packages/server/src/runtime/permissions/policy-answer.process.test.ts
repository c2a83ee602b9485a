import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import type { PermissionPolicy, PermissionRule } from "../../domain/policy/permission-policy.ts";
import type { Suspension } from "../../domain/suspension.ts";
import {
  ask,
  askAll,
  exit,
  say,
  script,
  type Ask,
  type Step,
} from "../../providers/testing/script.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
let id: string;
afterEach(() => test.close());

async function begin(
  permissions: PermissionPolicy | null,
  metadata: JsonObject = {},
): Promise<void> {
  test = await TestRuntime.open(permissions === null ? {} : { permissions });
  id = await test.createSession({ metadata });
}

const rules = (...list: readonly PermissionRule[]): PermissionPolicy => ({
  rules: list,
  phases: {},
});

const EDIT: Ask = { id: "t1", title: "Write a.txt", kind: "edit", input: { file_path: "a.txt" } };
const RUN: Ask = { id: "t2", title: "ls", kind: "execute", input: { command: "ls -l" } };
const ALWAYS: Ask = {
  ...EDIT,
  options: [
    { optionId: "always", name: "Always", kind: "allow_always" },
    { optionId: "once", name: "Once", kind: "allow_once" },
    { optionId: "never", name: "Never", kind: "reject_always" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};

async function send(...steps: readonly Step[]): Promise<void> {
  await test.send(id, script(...steps));
}

/** The agent's last message, once the session is idle. */
async function heard(): Promise<readonly string[]> {
  const lines = transcript(await test.idle(id));
  const said = lines.slice(lines.findLastIndex((line) => line.startsWith("user ")) + 1);
  return said.filter((line) => !line.startsWith("tool "));
}

async function asked(): Promise<Suspension> {
  const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
  const [suspension] = session.suspensions;
  if (suspension === undefined) throw new Error("nothing is asked");
  return suspension;
}

async function answerWith(choice: string): Promise<void> {
  const { id: suspensionId } = await asked();
  ok(await test.runtime.answer({ sessionId: id, suspensionId, answer: choice, by: "ada" }));
}

const trail = async (): Promise<readonly unknown[]> =>
  (await test.store.readSuspensions(id)).map(
    ({ status, answer, answeredBy, request }: StoredSuspension) => [
      request["title"],
      status,
      answer,
      answeredBy,
    ],
  );

describe("a permission policy", () => {
  it("allows without asking anybody, and what it allowed is on record (C3)", async () => {
    await begin(rules({ kind: "edit", path: "*.txt", decision: "allow" }));
    await send(ask(EDIT), say(" done"));
    expect(await heard()).toEqual(["agent answer: allow done"]);
    expect(await trail()).toEqual([
      ["Write a.txt", "answered", { optionId: "allow" }, "policy: permissions.rules[0]"],
    ]);
    expect(test.logged).toContainEqual(
      expect.objectContaining({ level: "info", text: "a permission needed no person" }),
    );
  });

  it("denies without asking anybody, whatever comes after in the list (C3)", async () => {
    await begin(
      rules(
        { kind: "execute", command: "ls *", decision: "deny" },
        { kind: "execute", decision: "allow" },
      ),
    );
    await send(ask(RUN), ask({ ...RUN, id: "t3", title: "pwd", input: { command: "pwd" } }));
    expect(await heard()).toEqual(["agent answer: reject", "agent answer: allow"]);
    expect(await trail()).toEqual([
      ["ls", "answered", { optionId: "reject" }, "policy: permissions.rules[0]"],
      ["pwd", "answered", { optionId: "allow" }, "policy: permissions.rules[1]"],
    ]);
  });

  it("that denies where the agent offers no rejection, cancels the question", async () => {
    await begin(rules({ decision: "deny" }));
    const options = [{ optionId: "go", name: "Go", kind: "allow_once" }];
    await send(ask({ ...EDIT, options }));
    expect(await heard()).toEqual(["agent answer: cancelled"]);
    expect(await trail()).toEqual([
      ["Write a.txt", "answered", { outcome: "cancelled" }, "policy: permissions.rules[0]"],
    ]);
  });

  it("asks a person about everything it says nothing about, and without one about everything (C3)", async () => {
    await begin(rules({ kind: "read", decision: "allow" }));
    await send(ask(EDIT));
    await answerWith("allow");
    expect(await heard()).toEqual(["agent answer: allow"]);
    expect(await trail()).toEqual([["Write a.txt", "answered", { optionId: "allow" }, "ada"]]);
  });

  it("decides each of several questions asked at once (C3)", async () => {
    await begin(rules({ kind: "execute", command: "ls *", decision: "allow" }));
    await send(askAll(EDIT, RUN));
    await answerWith("reject");
    expect(await heard()).toEqual(["agent answers: reject, allow"]);
  });

  it("denies changes while the session investigates or plans, also those it allows later (C3)", async () => {
    await begin(rules({ kind: "edit", decision: "allow" }));
    ok(await test.runtime.updateSession({ sessionId: id, changes: {}, phase: "planning" }));
    await send(ask(EDIT));
    expect(await heard()).toEqual(["agent answer: reject"]);
    ok(await test.runtime.updateSession({ sessionId: id, changes: {}, phase: "executing" }));
    await send(ask(EDIT));
    expect(await heard()).toEqual(["agent answer: allow"]);
    expect((await trail()).map((each) => (each as unknown[])[3])).toEqual([
      "policy: no edit while planning",
      "policy: permissions.rules[0]",
    ]);
  });

  it("does not allow what leads out of the repository by a link", async () => {
    await begin(rules({ kind: "edit", path: "**", decision: "allow" }));
    mkdirSync(path.join(test.folder, "elsewhere"));
    symlinkSync(path.join(test.folder, "elsewhere"), path.join(test.repoPath, "link"));
    await send(ask({ ...EDIT, input: { file_path: "link/new.txt" } }));
    await answerWith("reject");
    expect(await heard()).toEqual(["agent answer: reject"]);
  });
});

describe("a session's own rules", () => {
  const own = (...list: readonly PermissionRule[]): JsonObject => ({
    permissions: { rules: list.map((rule) => ({ ...rule })) },
  });

  it("come before the configured ones, and never against a configured denial (C3)", async () => {
    await begin(
      rules({ kind: "execute", command: "rm *", decision: "deny" }, { decision: "ask" }),
      own({ kind: "execute", decision: "allow" }),
    );
    await send(ask(RUN), ask({ ...RUN, id: "t3", title: "rm", input: { command: "rm -rf x" } }));
    expect(await heard()).toEqual(["agent answer: allow", "agent answer: reject"]);
    expect((await trail()).map((each) => (each as unknown[])[3])).toEqual([
      "policy: session permissions.rules[0]",
      "policy: permissions.rules[0]",
    ]);
  });

  it("are refused when they cannot be read, and their grants are not for clients to write", async () => {
    await begin(null);
    const bad = { permissions: { rules: [{ kind: "edit", decision: "yes" }] } };
    const wanted = { refusal: { code: "metadata_invalid" } };
    expect(
      await test.runtime.updateSession({ sessionId: id, changes: { metadata: bad } }),
    ).toMatchObject(wanted);
    expect(await test.runtime.createSession(test.newSession({ metadata: bad }))).toMatchObject(
      wanted,
    );
    const grants = { permissionGrants: [] };
    expect(
      await test.runtime.updateSession({ sessionId: id, changes: { metadata: grants } }),
    ).toMatchObject(wanted);
    expect(await test.runtime.createSession(test.newSession({ metadata: grants }))).toMatchObject(
      wanted,
    );
    ok(
      await test.runtime.updateSession({
        sessionId: id,
        changes: { metadata: { permissions: null, other: 1 } },
      }),
    );
  });
});

describe("an answer for the rest of the session", () => {
  it("is not asked again in the session, even of another process, until it is revoked (C3)", async () => {
    await begin(null);
    await send(ask(ALWAYS), say(" one"));
    await answerWith("always");
    expect(await heard()).toEqual(["agent answer: always one"]);
    const { grants } = ok(await test.runtime.listGrants(id));
    expect(grants).toEqual([
      {
        id: expect.any(String),
        decision: "allow",
        scope: "session",
        title: "Write a.txt",
        kind: "edit",
        paths: ["a.txt"],
        command: null,
        folder: null,
        fingerprint: expect.any(String),
        by: "ada",
        at: expect.any(Number),
      },
    ]);
    const grantId = grants[0]?.id ?? "";

    await send(exit());
    await test.idle(id);
    await test.untilNoProcess();
    await send(ask({ ...ALWAYS, input: { file_path: "a.txt", content: "more" } }), say(" two"));
    expect(await heard()).toContain("agent answer: once two");
    expect((await trail()).at(-1)).toEqual([
      "Write a.txt",
      "answered",
      { optionId: "once" },
      `policy: grant ${grantId}`,
    ]);

    ok(await test.runtime.revokeGrant({ sessionId: id, grantId }));
    expect(ok(await test.runtime.listGrants(id)).grants).toEqual([]);
    expect(await test.runtime.revokeGrant({ sessionId: id, grantId })).toMatchObject({
      refusal: { code: "grant_not_found" },
    });
    await send(ask(ALWAYS));
    await answerWith("no");
    expect(await heard()).toEqual(["agent answer: no"]);
  });

  it("also counts when it was a no, of that alone, and stays with its session (C3)", async () => {
    await begin(null);
    await send(ask(ALWAYS));
    await answerWith("never");
    await test.idle(id);
    await send(ask(ALWAYS), ask({ ...ALWAYS, id: "t2", input: { file_path: "b.txt" } }));
    await answerWith("once");
    expect(await heard()).toEqual(["agent answer: no", "agent answer: once"]);
    const fork = ok(await test.runtime.fork({ sessionId: id, atMessage: null }));
    expect(ok(await test.runtime.listGrants(fork.session.id)).grants).toEqual([]);
    expect(await test.runtime.listGrants("nobody")).toMatchObject({
      refusal: { code: "session_not_found" },
    });
  });

  it("is not stronger than what the policy denies (C3)", async () => {
    await begin(rules({ kind: "read", decision: "allow" }));
    await send(ask(ALWAYS));
    await answerWith("always");
    await test.idle(id);
    ok(await test.runtime.updateSession({ sessionId: id, changes: {}, phase: "investigating" }));
    await send(ask(ALWAYS));
    expect(await heard()).toEqual(["agent answer: no"]);
  });
});

describe("a policy in a worktree", () => {
  it("knows the paths of the worktree (C3, D7)", async () => {
    test = await TestRuntime.open({
      permissions: rules({ kind: "edit", path: "*.txt", decision: "allow" }),
      files: { "a.txt": "a\n" },
      worktrees: {},
    });
    id = await test.createSession({ workspace: { kind: "worktree", base: null } });
    await send(say("one"));
    const { session } = await test.idle(id);
    const { folder = "" } = session.workspace.worktree ?? {};
    const inside = { ...EDIT, input: { file_path: path.join(folder, "a.txt") } };
    await send(ask(inside));
    expect(await heard()).toContain("agent answer: allow");
    await send(ask({ ...EDIT, input: { file_path: path.join(test.repoPath, "a.txt") } }));
    expect((await asked()).request).toMatchObject({ title: "Write a.txt" });
  });
});

describe("a policy that an agent may get past", () => {
  const CANNOT =
    "system Scripted agent does not ask for permission: the policy cannot be enforced.";

  it("is said once, where an agent of that provider first works in the session (C3)", async () => {
    test = await TestRuntime.open({
      permissions: rules({ kind: "execute", decision: "deny" }),
      agents: [
        { definition: { asks: false } },
        { name: "perhaps", definition: { asks: null } },
        { name: "asking", definition: { asks: true } },
      ],
    });
    id = await test.createSession();
    await send(say("one"));
    expect(await heard()).toEqual([CANNOT, "agent one"]);
    await send(exit());
    await test.idle(id);
    await test.untilNoProcess();
    await send(say("two"));
    expect(await heard()).not.toContain(CANNOT);
    await test.send(id, script(say("three")), { provider: "perhaps" });
    expect(await heard()).toContainEqual(
      expect.stringContaining("may not ask for permission: the policy cannot be relied on"),
    );
    await test.send(id, script(say("four")), { provider: "asking" });
    expect((await heard()).join("\n")).not.toContain("the policy");
  });

  it("is not said where there is none, nor where it only allows", async () => {
    test = await TestRuntime.open({ agents: [{ definition: { asks: false } }] });
    id = await test.createSession({
      metadata: { permissions: { rules: [{ kind: "read", decision: "allow" }] } },
    });
    await send(say("one"));
    expect(await heard()).toEqual(["agent one"]);
  });
});
