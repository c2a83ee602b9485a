import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { ask, say, script } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type ProcessResult,
  type RunningServer,
} from "./holdfast-process.ts";

let folder: string;
let data: string;
let root: string;
let server: RunningServer | null;

beforeEach(() => {
  const scripted = { type: "acp", command: scriptedCommand };
  ({ folder, data, root } = prepareFolder({
    providers: { scripted },
    defaultProvider: "scripted",
  }));
  server = null;
});
afterEach(async () => {
  await server?.end("SIGTERM");
  removeFolder(folder);
});

async function serve(): Promise<void> {
  server = await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root } });
}

function run(...args: readonly string[]): Promise<ProcessResult> {
  return holdfast([...args, "--data", data], { AGENT_WORKSPACE_ROOT: root });
}

/** Runs a command that must succeed without errors on stderr, and returns its output. */
async function succeed(...args: readonly string[]): Promise<string> {
  const result = await run(...args);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  return result.stdout.trim();
}

describe.each(["directly on the database", "through a server"])("commands %s", (access) => {
  beforeEach(async () => {
    if (access === "through a server") await serve();
  });

  it("manage a session through its life cycle (B1, A9)", async () => {
    const id = await succeed(
      "create",
      "--agent",
      "builder",
      "--repo",
      root,
      "--title",
      "The build",
    );
    const state = JSON.parse(await succeed("get", id));
    expect(state).toMatchObject({ agent_id: id, agent_name: "builder", status: "active" });

    const fork = await succeed("fork", id);
    expect(JSON.parse(await succeed("get", fork))).toMatchObject({ agent_id: fork });
    expect(JSON.parse(await succeed("cancel", fork, "--json"))).toMatchObject({ state: "idle" });
    expect(JSON.parse(await succeed("archive", id, "--json"))).toMatchObject({
      status: "archived",
    });
    expect(JSON.parse(await succeed("list", "--status", "archived"))).toHaveLength(1);
    expect(await run("resume", id)).toMatchObject({ code: 2, stdout: "" });

    expect(await run("delete", fork)).toEqual({
      code: 64,
      stdout: "",
      stderr: "holdfast: This cannot be undone. Pass --yes to confirm.\n",
    });
    await succeed("delete", fork, "--yes");
    expect(await run("get", fork)).toEqual({
      code: 1,
      stdout: "",
      stderr: "holdfast: There is no such session. Run `holdfast list` to see all sessions.\n",
    });
  });

  it("show repositories, providers, statistics and the inbox", async () => {
    const repo = await succeed("repos", "add", root, "--name", "the-root");
    expect((await succeed("repos")).split("\t")).toEqual([
      repo,
      "the-root",
      root,
      expect.any(String),
    ]);
    expect(await run("repos", "add", "/")).toMatchObject({ code: 2, stdout: "" });
    await succeed("repos", "remove", repo);
    expect(await succeed("repos")).toBe("");
    expect(await succeed("providers")).toMatch(/^demo\tDemo agent\tyes\t/mu);
    expect(JSON.parse(await succeed("stats", "--json"))).toMatchObject({ sessions: 0 });
    expect(await succeed("inbox")).toBe("");
    expect((await succeed("doctor")).split("\n").length).toBeGreaterThan(5);
  });

  it("move whole sessions to another machine and back (A13)", async () => {
    const id = await succeed("create", "--agent", "builder", "--metadata", '{"task_id":"T001"}');
    await succeed("update", id, "--phase", "approval", "--error", "none really");
    const bundle = path.join(folder, "session.jsonl");
    writeFileSync(bundle, (await run("export", id)).stdout);

    const otherData = path.join(folder, "other-data");
    const imported = await holdfast(["import", bundle, "--data", otherData]);
    expect(imported).toEqual({ code: 0, stdout: `${id}\n`, stderr: "" });
    const { last_updated: _, status: __, ...state } = JSON.parse(await succeed("get", id));
    const copy = JSON.parse((await holdfast(["get", id, "--data", otherData])).stdout);
    expect(copy).toMatchObject(state);
    expect(await run("import", bundle)).toMatchObject({ code: 2, stdout: "" });
    expect(await run("import", path.join(folder, "nothing.jsonl"))).toMatchObject({ code: 1 });
  });

  it("report, show and delete a session that cannot be read (B5, C8)", async () => {
    const [sound, id] = [
      await succeed("create", "--agent", "builder"),
      await succeed("create", "--agent", "tester"),
    ];
    const database = new DatabaseSync(path.join(data, "holdfast.db"), { timeout: 100_000 });
    database.exec("pragma ignore_check_constraints = on");
    database.prepare(`update "AgentSession" set "metadata" = '{oops' where "agentId" = ?`).run(id);
    database.close();

    const result = await run("get", id);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toMatch(
      new RegExp(
        `^holdfast: Session \\S+ cannot be read: metadata is not JSON\\. Show its rows with: holdfast get ${id} --raw\\.`,
        "u",
      ),
    );
    expect(JSON.parse(await succeed("get", id, "--raw"))).toMatchObject({
      row: { agentId: id, agentName: "tester", metadata: "{oops" },
      reason: "metadata is not JSON",
      parts: [],
    });
    expect(JSON.parse(await succeed("get", sound, "--raw"))).toMatchObject({
      row: { agentId: sound, metadata: "{}" },
      reason: null,
    });
    const stored = JSON.parse(await succeed("get", id, "--raw"));
    expect(await succeed("doctor")).toContain(
      `Unreadable sessions: ${String(stored.row.id)} (metadata is not JSON)`,
    );
    expect(JSON.parse(await succeed("list"))).toMatchObject([{ agent_id: sound }]);
    expect(JSON.parse(await succeed("delete", id, "--yes", "--json"))).toMatchObject({
      agentId: id,
      agentName: "tester",
    });
    expect(await run("get", id)).toMatchObject({ code: 1, stdout: "" });
    expect(await succeed("doctor")).not.toContain("Unreadable");
  });

  it("report errors and the next step", async () => {
    const id = await succeed("create", "--no-repo");
    expect((await run("update", id)).stderr).toContain("Nothing to change");
    expect(await run("update", id, "--phase", "lunch")).toMatchObject({ code: 64 });
    expect(await run("update", id, "--metadata", "[1]")).toMatchObject({ code: 64 });
    expect(await run("create", "--id", id)).toEqual({
      code: 2,
      stdout: "",
      stderr: "holdfast: A session with this agent ID already exists.\n",
    });
    expect(await run("create", "--id", "no/path")).toMatchObject({ code: 64, stdout: "" });
    expect((await run("frobnicate")).stderr).toContain('There is no command "frobnicate".');
    expect((await run("resume", id, "--answer", "yes")).stderr).toContain(
      "not waiting for an answer",
    );
  });
});

describe("a message that was queued without a server", () => {
  it("is delivered when one starts (C1)", async () => {
    const id = await succeed("create", "--repo", root);
    expect(await run("send", id, "Hello")).toMatchObject({ code: 2, stdout: "" });
    const detached = JSON.parse(
      await succeed("send", id, script(say("Here I am.")), "--detach", "--json"),
    );
    expect(detached).toMatchObject({ jsonVersion: 1, run: { status: "queued" } });
    await serve();
    const sent = await run("send", id, script(say("And here.")));
    expect(sent).toMatchObject({ code: 0 });
    const bundle = (await run("export", id)).stdout;
    const said = bundle
      .split("\n")
      .filter((line) => /"text":"(?:Here I am|And here)\."/u.test(line));
    expect(said).toEqual([
      expect.stringContaining("Here I am."),
      expect.stringContaining("And here."),
    ]);
  });
});

describe("a permission", () => {
  it("is listed in the inbox and answered from there, even while the server is down (C3)", async () => {
    await serve();
    const id = await succeed("create", "--repo", root);
    const sent = await run(
      "send",
      id,
      script(ask({ id: "write", title: "Write it" }), say("Thank you.")),
    );
    expect(sent.code).toBe(3);
    await server?.end("SIGKILL");
    server = null;

    const [sessionId, suspension, kind] = (await succeed("inbox")).split("\t");
    expect(kind).toBe("permission");
    await succeed("resume", sessionId ?? "", "--suspension", suspension ?? "", "--answer", "allow");
    expect(await succeed("inbox")).toBe("");
    await serve();
    expect(await run("send", id, script(say("Next.")))).toMatchObject({ code: 0 });
  });
});

describe("completion", () => {
  it("offers commands and the current session IDs", async () => {
    const id = await succeed("create", "--no-repo", "--title", "The build");
    const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await holdfast(["complete", "--", ...words], { HOLDFAST_DATA: data })).stdout
        .trim()
        .split("\n");
    expect(await complete("fin")).toEqual([expect.stringMatching(/^finalize\t/u), ":4"]);
    expect(await complete("get", "")).toEqual([`${id}\tThe build`, ":4"]);
    for (const shell of ["bash", "zsh", "fish", "powershell"])
      expect((await holdfast(["completion", shell])).stdout).toContain("holdfast");
    expect(await complete("compl")).toEqual([expect.stringMatching(/^completion\t/u), ":4"]);
  });

  it.each(["bash", "zsh"])("can be sourced twice in %s", async (shell) => {
    needProgram(shell);
    const file = path.join(folder, "completion");
    writeFileSync(file, (await holdfast(["completion", shell])).stdout);
    const compdef = shell === "zsh" ? "compdef() { :; }; " : "";
    // With a socket as stdin, bash may take itself for a remote shell and read the settings of the system.
    const { status, stderr } = spawnSync(shell, ["-euc", `${compdef}. "$0"; . "$0"`, file], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("output into a closed pipe", () => {
  it("ends the command without an error message", async () => {
    needProgram("bash");
    const bin = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");
    const { status, stderr } = spawnSync(
      "bash",
      ["-c", `set -o pipefail; "${process.execPath}" "${bin}" --help | true`],
      { encoding: "utf8" },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
