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
  type Ended,
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

function run(...args: readonly string[]): Promise<Ended> {
  return holdfast([...args, "--data", data], { AGENT_WORKSPACE_ROOT: root });
}

/** What it printed, which must be all it had to say. */
async function good(...args: readonly string[]): Promise<string> {
  const ended = await run(...args);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return ended.stdout.trim();
}

describe.each(["directly on the database", "through a server"])("commands %s", (way) => {
  beforeEach(async () => {
    if (way === "through a server") await serve();
  });

  it("carry a session through its life (B1, A9)", async () => {
    const id = await good("create", "--agent", "builder", "--repo", root, "--title", "The build");
    const state = JSON.parse(await good("get", id));
    expect(state).toMatchObject({ agent_id: id, agent_name: "builder", status: "active" });

    const fork = await good("fork", id);
    expect(JSON.parse(await good("get", fork))).toMatchObject({ agent_id: fork });
    expect(JSON.parse(await good("cancel", fork))).toMatchObject({ state: "idle" });
    expect(JSON.parse(await good("archive", id))).toMatchObject({ status: "archived" });
    expect(JSON.parse(await good("list", "--status", "archived"))).toHaveLength(1);
    expect(await run("resume", id)).toMatchObject({ code: 2, stdout: "" });

    expect(await run("delete", fork)).toEqual({
      code: 64,
      stdout: "",
      stderr: "holdfast: This cannot be undone. Pass --yes to confirm.\n",
    });
    await good("delete", fork, "--yes");
    expect(await run("get", fork)).toEqual({
      code: 1,
      stdout: "",
      stderr: "holdfast: There is no such session. Run `holdfast list` to see all sessions.\n",
    });
  });

  it("list providers, repositories and other surroundings", async () => {
    const repo = await good("repos", "add", root, "--name", "the-root");
    expect((await good("repos")).split("\t")).toEqual([repo, "the-root", root, expect.any(String)]);
    expect(await run("repos", "add", "/")).toMatchObject({ code: 2, stdout: "" });
    await good("repos", "remove", repo);
    expect(await good("repos")).toBe("");
    expect(await good("providers")).toMatch(/^demo\tDemo agent\tyes\t/mu);
    expect(JSON.parse(await good("stats"))).toMatchObject({ sessions: 0 });
    expect(await good("inbox")).toBe("");
    expect((await good("doctor")).split("\n").length).toBeGreaterThan(5);
  });

  it("carry whole sessions to another machine and back (A13)", async () => {
    const id = await good("create", "--agent", "builder", "--metadata", '{"task_id":"T001"}');
    await good("update", id, "--phase", "approval", "--error", "none really");
    const bundle = path.join(folder, "session.jsonl");
    writeFileSync(bundle, (await run("export", id)).stdout);

    const there = path.join(folder, "there");
    const imported = await holdfast(["import", bundle, "--data", there]);
    expect(imported).toEqual({ code: 0, stdout: `${id}\n`, stderr: "" });
    const { last_updated: _, status: __, ...state } = JSON.parse(await good("get", id));
    const copy = JSON.parse((await holdfast(["get", id, "--data", there])).stdout);
    expect(copy).toMatchObject(state);
    expect(await run("import", bundle)).toMatchObject({ code: 2, stdout: "" });
    expect(await run("import", path.join(folder, "nothing.jsonl"))).toMatchObject({ code: 1 });
  });

  it("name, show and delete a session that cannot be read (B5, C8)", async () => {
    const [sound, id] = [
      await good("create", "--agent", "builder"),
      await good("create", "--agent", "tester"),
    ];
    const database = new DatabaseSync(path.join(data, "holdfast.db"), { timeout: 5_000 });
    database.exec("pragma ignore_check_constraints = on");
    database.prepare(`update "AgentSession" set "metadata" = '{oops' where "agentId" = ?`).run(id);
    database.close();

    const told = await run("get", id);
    expect(told).toMatchObject({ code: 2, stdout: "" });
    expect(told.stderr).toMatch(
      new RegExp(
        `^holdfast: Session \\S+ cannot be read: metadata is not JSON\\. Show its rows with: holdfast get ${id} --raw\\.`,
        "u",
      ),
    );
    expect(JSON.parse(await good("get", id, "--raw"))).toMatchObject({
      row: { agentId: id, agentName: "tester", metadata: "{oops" },
      reason: "metadata is not JSON",
      parts: [],
    });
    expect(JSON.parse(await good("get", sound, "--raw"))).toMatchObject({
      row: { agentId: sound, metadata: "{}" },
      reason: null,
    });
    const stored = JSON.parse(await good("get", id, "--raw"));
    expect(await good("doctor")).toContain(
      `Unreadable sessions: ${String(stored.row.id)} (metadata is not JSON)`,
    );
    expect(JSON.parse(await good("list"))).toMatchObject([{ agent_id: sound }]);
    expect(JSON.parse(await good("delete", id, "--yes"))).toMatchObject({
      agent_id: id,
      agent_name: "tester",
    });
    expect(await run("get", id)).toMatchObject({ code: 1, stdout: "" });
    expect(await good("doctor")).not.toContain("Unreadable");
  });

  it("report the error and the next step", async () => {
    const id = await good("create");
    expect((await run("update", id)).stderr).toContain("Nothing to change");
    expect(await run("update", id, "--phase", "lunch")).toMatchObject({ code: 64 });
    expect(await run("update", id, "--metadata", "[1]")).toMatchObject({ code: 64 });
    expect(await run("create", "--id", id)).toEqual({
      code: 2,
      stdout: "",
      stderr: "holdfast: A session with this agent id already exists.\n",
    });
    expect(await run("create", "--id", "no/path")).toMatchObject({ code: 64, stdout: "" });
    expect((await run("frobnicate")).stderr).toContain("unknown command");
    expect((await run("resume", id, "--answer", "yes")).stderr).toContain(
      "not waiting for an answer",
    );
  });
});

describe("a message that was queued without a server", () => {
  it("is delivered when one starts (C1)", async () => {
    const id = await good("create", "--repo", root);
    expect(await run("send", id, "Hello")).toMatchObject({ code: 2, stdout: "" });
    const left = JSON.parse(await good("send", id, script(say("Here I am.")), "--detach"));
    expect(left).toMatchObject({ queued: true });
    await serve();
    const waited = await run("send", id, script(say("And here.")));
    expect(waited).toMatchObject({ code: 0 });
    const bundle = (await run("export", id)).stdout;
    expect(bundle.indexOf("Here I am.")).toBeGreaterThan(0);
    expect(bundle.indexOf("And here.")).toBeGreaterThan(bundle.indexOf("Here I am."));
  });
});

describe("a permission", () => {
  it("is listed in the inbox and answered from there, also while the server is stopped (C3)", async () => {
    await serve();
    const id = await good("create", "--repo", root);
    const sent = await run(
      "send",
      id,
      script(ask({ id: "write", title: "Write it" }), say("Thank you.")),
    );
    expect(sent.code).toBe(3);
    await server?.end("SIGKILL");
    server = null;

    const [sessionId, suspension, kind] = (await good("inbox")).split("\t");
    expect(kind).toBe("permission");
    await good("resume", sessionId ?? "", "--suspension", suspension ?? "", "--answer", "allow");
    expect(await good("inbox")).toBe("");
    await serve();
    expect(await run("send", id, script(say("Next.")))).toMatchObject({ code: 0 });
  });
});

describe("completion", () => {
  it("offers commands and current IDs", async () => {
    const id = await good("create", "--title", "The build");
    const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await holdfast(["complete", "--", ...words], { HOLDFAST_DATA: data })).stdout
        .trim()
        .split("\n");
    expect(await complete("fin")).toEqual([expect.stringMatching(/^finalize\t/u), ":4"]);
    expect(await complete("get", "")).toEqual([`${id}\tThe build`, ":4"]);
    for (const shell of ["bash", "zsh", "fish", "powershell"])
      expect((await holdfast(["completion", shell])).stdout).toContain("holdfast");
  });
});

describe("output whose reader stops early", () => {
  it("ends the command silently", async () => {
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
