import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { need, needProc } from "../../domain/testing/machine.ts";
import { findMarked, sweepAgents } from "../acp/process/process-sweep.ts";
import { openAgentRig, promptOf, SHORT_TIMES, type RigOptions } from "../testing/agent-rig.ts";
import { closeStdout, exit, ignore, say, shell, silent } from "../testing/script.ts";
import { openSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { leavesBehind } from "../sandbox/testing/sandbox-world.ts";
import { CONTAINMENTS, type ContainmentKind } from "./containment.ts";
import { sweepControlGroups } from "./control-group.ts";

/** The table in the documentation: whether a hidden process is dead after each of these ends. */
const DOCS = readFileSync(
  path.resolve(import.meta.dirname, "../../../../../docs/sandbox.md"),
  "utf8",
);
const NAMES: Readonly<Record<ContainmentKind, string>> = {
  "pid-namespace": "a PID namespace",
  "control-group": "a control group",
  marker: "a variable",
};

interface Documented {
  readonly agentEnds: boolean;
  readonly serverKilled: boolean;
  readonly nextStart: boolean;
}

function documented(kind: ContainmentKind): Documented {
  const row = DOCS.split("\n").find((line) => line.startsWith(`| ${NAMES[kind]} `));
  const cells = row?.split("|").map((cell) => cell.trim()) ?? [];
  const [agentEnds, serverKilled, nextStart] = cells.slice(3, 6).map((cell) => cell === "yes");
  if (nextStart === undefined) throw new Error(`docs/sandbox.md has no row for ${NAMES[kind]}`);
  return { agentEnds: agentEnds ?? false, serverKilled: serverKilled ?? false, nextStart };
}

const CONTAINMENTS_AND_DOCS = CONTAINMENTS.map((kind) => [kind, documented(kind)] as const);

async function open(kind: ContainmentKind): Promise<Sandbox> {
  needProc();
  const sandbox = await openSandbox({
    mode: "off",
    environment: process.env,
    dataFolder: tmpdir(),
    containments: [kind],
  });
  need((await sandbox.containment()) === kind ? null : `this system does not allow ${NAMES[kind]}`);
  return sandbox;
}

const rigOf = async (kind: ContainmentKind, options: RigOptions = {}) =>
  openAgentRig({ ...options, provider: { sandbox: await open(kind) } });

describe.each(CONTAINMENTS_AND_DOCS)("without a sandbox, with %s", (kind, docs) => {
  it("a hidden process ends with the agent as documented (P5)", async () => {
    const left = leavesBehind();
    const rig = await rigOf(kind);
    const agent = await rig.start();
    await agent.prompt(promptOf(shell(left.command)));
    await left.untilThere();
    await agent.stop();
    expect(left.pids().length === 0).toBe(docs.agentEnds);
    expect(await rig.leftovers()).toEqual([]);
  });

  it("a hidden process ends with a killed server, or at the next start, as documented (P5)", async () => {
    await open(kind);
    const left = leavesBehind();
    const owner = `test-${randomUUID()}`;
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-containment-")));
    const program = path.resolve(import.meta.dirname, "../sandbox/testing/hold-agent.ts");
    const server = spawn(process.execPath, [program, folder, folder, owner, kind], {
      env: { ...process.env, HELD_COMMAND: left.command },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const startAgain = async (): Promise<void> => {
      await sweepAgents({ owner });
      await sweepControlGroups(owner);
    };
    onTestFinished(async () => {
      server.kill("SIGKILL");
      await startAgain();
      rmSync(folder, { recursive: true, force: true });
    });
    await once(server.stdout, "data");
    await left.untilThere();
    server.kill("SIGKILL");
    await once(server, "exit");
    await expect.poll(() => left.pids().length === 0).toBe(docs.serverKilled);
    await startAgain();
    expect(left.pids().length === 0).toBe(docs.nextStart);
    expect(await findMarked({ owner })).toEqual([]);
  });

  it("an agent gets SIGTERM, and its exit code is reported (P5)", async () => {
    const rig = await rigOf(kind, { times: { endMs: 300 } });
    const ended = await rig.start();
    await expect(ended.prompt(promptOf(exit({ code: 3 })))).rejects.toMatchObject({
      code: "agent_exited",
    });
    expect(await ended.exited).toMatchObject({ code: 3 });
    const agent = await rig.start();
    await agent.prompt(promptOf(ignore("eof")));
    await agent.stop();
    const { code, signal } = await agent.exited;
    expect([143, "SIGTERM"]).toContain(code ?? signal);
  });

  it("an agent that closes its output and keeps running is noticed (P5)", async () => {
    const rig = await rigOf(kind, { times: { ...SHORT_TIMES, exitMs: 300 } });
    const agent = await rig.start();
    await expect(agent.prompt(promptOf(say("on"), closeStdout(), silent()))).rejects.toMatchObject({
      code: "agent_unintelligible",
    });
    await agent.stop();
    expect(await rig.leftovers()).toEqual([]);
  });
});
