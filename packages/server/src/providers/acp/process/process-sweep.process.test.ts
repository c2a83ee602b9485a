import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { needProc } from "../../../domain/testing/machine.ts";
import { isAlive } from "../../testing/agent-rig.ts";
import { findMarked, sweepAgents } from "./process-sweep.ts";

/** Starts a shell command with a marker, and kills it after the test. */
function start(marker: string, command: string): ChildProcess {
  const child = spawn("/bin/sh", ["-c", command], {
    env: { PATH: process.env["PATH"], HOLDFAST_AGENT: marker },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [bytes] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return bytes.toString().trim();
}

describe("a sweep", () => {
  beforeAll(needProc);

  it("kills processes in other groups or sessions, without a parent or an environment (P5)", async () => {
    const owner = `test-${randomUUID()}`;
    // The first escapes its group and loses its parent, the second clears its environment.
    const child = start(
      `${owner}:a`,
      "setsid sh -c 'sleep 60 & echo $!' ; env -i setsid sleep 60 & echo $!; wait",
    );
    let output = "";
    child.stdout?.on("data", (bytes: Buffer) => (output += bytes.toString()));
    await expect.poll(() => output.trim().split("\n")).toHaveLength(2);
    const pids = [child.pid ?? 0, ...output.trim().split("\n").map(Number)];
    expect(pids.map(isAlive)).toEqual([true, true, true]);

    const result = await sweepAgents({ owner });
    expect(result).toMatchObject({ by: "marker", left: [] });
    expect(result.killed).toEqual(expect.arrayContaining(pids));
    expect(pids.map(isAlive)).toEqual([false, false, false]);
    expect(await findMarked({ owner })).toEqual([]);
  });

  it("kills one agent and leaves the others, or kills all of one owner", async () => {
    const owner = `test-${randomUUID()}`;
    const [first, second, stranger] = [
      start(`${owner}:first`, "echo on; sleep 60"),
      start(`${owner}:second`, "echo on; sleep 60"),
      start(`${owner}x:first`, "echo on; sleep 60"),
    ];
    await Promise.all([first, second, stranger].map(firstLine));
    const alive = (): readonly boolean[] =>
      [first, second, stranger].map(({ pid }) => isAlive(pid ?? 0));

    await sweepAgents({ owner, agent: "first" });
    expect(alive()).toEqual([false, true, true]);
    await sweepAgents({ owner });
    expect(alive()).toEqual([false, false, true]);
    await sweepAgents({ owner: `${owner}x` });
    expect(alive()).toEqual([false, false, false]);
  });

  it("spares its own process, its ancestors and its children, even inside an agent", async () => {
    const owner = `test-${randomUUID()}`;
    const program = `
      import { spawn } from "node:child_process";
      import { once } from "node:events";
      import { findMarked } from ${JSON.stringify(`${import.meta.dirname}/process-sweep.ts`)};
      const own = spawn("sleep", ["60"], { env: {} });
      const agent = spawn("sleep", ["60"], { env: { HOLDFAST_AGENT: ${JSON.stringify(`${owner}:inner`)} } });
      await Promise.all([once(own, "spawn"), once(agent, "spawn")]);
      let marked = [];
      // The system shows the environment of a process a moment after it has started.
      while (marked.length === 0) marked = await findMarked({ owner: ${JSON.stringify(owner)} });
      console.log(JSON.stringify({ marked, inner: agent.pid }));
      own.kill();
      agent.kill();
    `;
    const child = spawn(
      "/bin/sh",
      ["-c", `"$0" --input-type=module -e "$1"; true`, process.execPath, program],
      { env: { PATH: process.env["PATH"], HOLDFAST_AGENT: `${owner}:outer` } },
    );
    const { marked, inner } = JSON.parse(await firstLine(child)) as {
      marked: number[];
      inner: number;
    };
    expect(marked).toEqual([inner]);
    await once(child, "exit");
  });
});
