import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { needProc } from "../../domain/testing/machine.ts";
import { isAlive } from "../testing/agent-rig.ts";
import { HOST_FILE, readHostFile } from "./host-file.ts";
import { readAgentLog } from "./read-agent-log.ts";
import { collect, ECHO, onlyOne, openHostRig } from "./testing/host-rig.ts";

beforeAll(needProc);

const outputOf = ({ output }: { readonly output: readonly Buffer[] }): string =>
  Buffer.concat(output).toString();

describe("an agent in the host", () => {
  it("gets lines and writes output, and its end is reported (D4)", async () => {
    const rig = openHostRig();
    const host = await rig.serve();
    const agent = await host.start(rig.agent(`echo oops >&2; ${ECHO}; exit 7`));
    const { text } = collect(agent);
    agent.stdin.write("one\n");
    agent.stdin.write("two\n");
    await expect.poll(text).toBe("got one\ngot two\n");
    expect(agent.isGone).toBe(false);
    agent.stdin.end();
    expect(await agent.exited).toEqual({ code: 7, signal: null });
    expect(agent.isGone).toBe(true);
    expect(agent.stderr().text).toBe("oops\n");
    agent.host.forget();
    await expect
      .poll(() => readdirSync(rig.folder).filter((name) => name.endsWith(".log")))
      .toEqual([]);
  });

  it("that cannot be started gives the reason (D4)", async () => {
    const rig = openHostRig();
    const host = await rig.serve();
    const order = rig.agent("true");
    const command = { ...order.command, program: "/no/such/program" };
    await expect(host.start({ ...order, command })).rejects.toMatchObject({
      code: "agent_not_installed",
    });
    // The host goes on.
    const agent = await host.start(rig.agent("exit 0"));
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });

  it("outlives a server, and the next one gets everything since the checkpoint, once (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(ECHO));
    const before = collect(agent);
    agent.stdin.write("one\n");
    await expect.poll(before.text).toBe("got one\n");
    agent.host.checkpoint({ offset: "got one\n".length, note: { prompt: 1 } });
    agent.stdin.write("two\n");
    await expect.poll(before.text).toBe("got one\ngot two\n");
    await first.close({ agents: "go-on" });

    const second = await rig.serve();
    const found = onlyOne(second);
    expect(found).toMatchObject({
      isAlive: true,
      history: { note: { prompt: 1 }, offset: 8, input: ["two"], exit: null },
    });
    const again = await second.attach(found);
    const after = collect(again);
    expect(again.pid).toBe(agent.pid);
    again.stdin.write("three\n");
    await expect.poll(after.text).toBe("got two\ngot three\n");
    again.stdin.end();
    expect(await again.exited).toEqual({ code: 0, signal: null });
  });

  it("keeps what a server had not read when it made a checkpoint (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(`printf 'read\\nunread\\n'; ${ECHO}`));
    const { text } = collect(agent);
    await expect.poll(text).toBe("read\nunread\n");
    agent.host.checkpoint({ offset: "read\n".length, note: "mid" });
    agent.stdin.write("later\n");
    await expect.poll(text).toContain("got later");
    await first.close({ agents: "go-on" });
    const second = await rig.serve();
    const { history } = onlyOne(second);
    expect(outputOf(history)).toBe("unread\ngot later\n");
    expect(history).toMatchObject({ note: "mid", offset: 5, input: ["later"] });
  });

  it("works on while nobody listens, and half a line is completed by what follows (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(
      rig.agent("printf hal; while [ ! -e go ]; do sleep 0.05; done; echo f; sleep 60"),
    );
    const { text } = collect(agent);
    await expect.poll(text).toBe("hal");
    await first.close({ agents: "go-on" });
    writeFileSync(path.join(rig.folder, "go"), "");
    const log = path.join(rig.folder, `${agent.host.id}.log`);
    const size = statSync(log).size;
    await expect.poll(() => statSync(log).size).toBeGreaterThan(size);
    const second = await rig.serve();
    const again = await second.attach(onlyOne(second));
    await expect.poll(collect(again).text).toBe("half\n");
    again.signal("SIGKILL");
    expect(await again.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("listens to the latest server only (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(ECHO));
    const second = await rig.serve();
    const again = await second.attach(onlyOne(second));
    const { text } = collect(again);
    agent.stdin.write("late\n");
    again.stdin.write("new\n");
    await expect.poll(text).toBe("got new\n");
    again.stdin.end();
    await again.exited;
    expect(text()).toBe("got new\n");
  });
});

describe("an agent without a server", () => {
  it("is ended after a time, and the next server learns why and what it said (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve({ unattendedMs: 200 });
    const agent = await first.start(rig.agent(`${ECHO}; sleep 60`));
    agent.host.setFarewell("farewell");
    agent.stdin.write("one\n");
    await expect.poll(collect(agent).text).toBe("got one\n");
    const { pid } = agent;
    const host = first.pid ?? 0;
    await first.close({ agents: "go-on" });
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    await expect.poll(() => isAlive(host), { timeout: 20_000 }).toBe(false);
    expect(await rig.leftovers()).toEqual([]);
    const second = await rig.serve();
    const found = onlyOne(second);
    expect(found.isAlive).toBe(false);
    expect(outputOf(found.history)).toBe("got one\ngot farewell\n");
    expect(found.history.exit).toMatchObject({ why: "unattended" });
    second.discard(found);
    expect((await rig.serve()).found).toEqual([]);
  });

  it("is ended at once if no time is given (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve({ unattendedMs: 0 });
    const agent = await first.start(rig.agent(ECHO));
    await first.close({ agents: "go-on" });
    await expect.poll(() => isAlive(agent.pid), { timeout: 20_000 }).toBe(false);
  });

  it("is ended soon if the data folder is gone, because no server can come (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(ECHO));
    await first.close({ agents: "go-on" });
    rmSync(rig.folder, { recursive: true });
    await expect.poll(() => isAlive(agent.pid), { timeout: 10_000 }).toBe(false);
  });

  it("is ended when its node has lost its lease, even if the server is there (D4)", async () => {
    const rig = openHostRig();
    const host = await rig.serve();
    const agent = await host.start(rig.agent(ECHO));
    host.keepFor(60_000);
    host.keepFor(100);
    await agent.exited;
    expect(agent.host.endedBy).toBe("lease");
    expect(await rig.leftovers()).toEqual([]);
  });
});

describe("a host", () => {
  it("that is killed takes its agents with it, and another one starts (D4)", async () => {
    const rig = openHostRig();
    const host = await rig.serve();
    const agent = await host.start(rig.agent(ECHO));
    const pid = host.pid ?? 0;
    process.kill(pid, "SIGKILL");
    expect(await agent.exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(agent.host.endedBy).toBe("host");
    expect(await rig.leftovers()).toEqual([]);
    const next = await host.start(rig.agent("exit 3"));
    expect(host.pid).not.toBe(pid);
    expect(await next.exited).toEqual({ code: 3, signal: null });
  });

  it("that was killed before a server starts leaves nothing to take up (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(ECHO));
    agent.stdin.write("one\n");
    await expect.poll(collect(agent).text).toBe("got one\n");
    process.kill(first.pid ?? 0, "SIGKILL");
    await agent.exited;
    const troubles: string[] = [];
    const second = await rig.serve({ onTrouble: (problem) => troubles.push(problem) });
    expect(second.found).toEqual([]);
    expect(readdirSync(rig.folder)).toEqual([HOST_FILE]);
    expect(troubles).toEqual([expect.stringContaining("does not answer")]);
  });

  it("whose file names another protocol is ended with its agents (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(ECHO));
    const { pid = 0, socket } = readHostFile(rig.folder) ?? {};
    writeFileSync(path.join(rig.folder, HOST_FILE), JSON.stringify({ pid, socket, protocol: 999 }));
    const second = await rig.serve();
    expect(isAlive(agent.pid)).toBe(false);
    expect(onlyOne(second).isAlive).toBe(false);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("of an older Holdfast goes on with its agents, and is replaced when it has none (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(ECHO));
    const { pid } = first;
    await first.close({ agents: "go-on" });
    const second = await rig.serve({ version: "2.0.0" });
    expect(second.pid).toBe(pid);
    const again = await second.attach(onlyOne(second));
    expect(again.pid).toBe(agent.pid);
    again.stdin.end();
    await again.exited;
    again.host.forget();
    await second.close({ agents: "go-on" });
    await expect.poll(() => isAlive(pid ?? 0)).toBe(false);
  });

  it("exits when the server ends and wants its agents ended (A8)", async () => {
    const rig = openHostRig();
    const host = await rig.serve();
    const agent = await host.start(rig.agent(ECHO));
    const pid = host.pid ?? 0;
    await host.close({ agents: "end" });
    expect(isAlive(agent.pid)).toBe(false);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("keeps its files for its user alone (A10)", async () => {
    const rig = openHostRig();
    const host = await rig.serve();
    const agent = await host.start(rig.agent(ECHO));
    const modes = readdirSync(rig.folder).map(
      (name) => statSync(path.join(rig.folder, name)).mode & 0o077,
    );
    expect(modes.length).toBeGreaterThanOrEqual(3);
    expect(modes.every((mode) => mode === 0)).toBe(true);
    agent.stdin.end();
    await agent.exited;
  });
});

describe("a log", () => {
  it("that was cut in the middle is read up to its last whole record (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve();
    const agent = await first.start(rig.agent(ECHO));
    agent.stdin.write("one\n");
    await expect.poll(collect(agent).text).toBe("got one\n");
    process.kill(first.pid ?? 0, "SIGKILL");
    await agent.exited;
    const log = path.join(rig.folder, `${agent.host.id}.log`);
    truncateSync(log, statSync(log).size - 3);
    expect(readAgentLog(log)).toMatchObject({ input: ["one"], output: [] });
    truncateSync(log, 3);
    expect(readAgentLog(log)).toBeNull();
  });
});
