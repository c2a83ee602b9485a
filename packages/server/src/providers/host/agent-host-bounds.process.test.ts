import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { needProc } from "../../domain/testing/machine.ts";
import { isAlive } from "../testing/agent-rig.ts";
import { openAgentLog, type AgentLog } from "./agent-log.ts";
import { readHostFile } from "./host-file.ts";
import { readAgentLog } from "./read-agent-log.ts";
import { collect, ECHO, onlyOne, openHostRig } from "./testing/host-rig.ts";

beforeAll(needProc);

const SMALL = {
  program: [path.join(import.meta.dirname, "testing", "small-host-program.ts")],
} as const;
/** Writes numbered lines as fast as it can, and the last number into a file. */
const FLOOD = 'i=0; while :; do i=$((i+1)); echo "line $i of many"; echo "$i" > count; done';
const LINE = /^line (?<number>\d+) of many$/u;

describe("while nobody reads", () => {
  it("an agent that floods has to wait, and the next server gets every line once (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve(SMALL);
    const agent = await first.start(rig.agent(FLOOD));
    agent.stdout.resume();
    await expect.poll(() => existsSync(path.join(rig.folder, "count"))).toBe(true);
    agent.host.checkpoint({ offset: 0, note: {} });
    agent.stdout.pause();
    await first.close({ agents: "go-on" });
    const count = (): string => readFileSync(path.join(rig.folder, "count"), "utf8");
    // It waits as soon as the pipe is full, too.
    for (let before = ""; before !== count(); await pause(300)) before = count();
    const waiting = count();
    expect(isAlive(agent.pid)).toBe(true);

    const second = await rig.serve(SMALL);
    const again = await second.attach(onlyOne(second));
    const { text } = collect(again);
    const lines = (): readonly string[] => text().split("\n").slice(0, -1);
    await expect.poll(() => lines().length).toBeGreaterThan(Number(waiting) + 1_000);
    const numbers = lines().map((line) => Number(LINE.exec(line)?.groups?.["number"]));
    expect(numbers).toEqual(numbers.map((_, index) => index + (numbers[0] ?? 0)));
  });
});

describe("a log that is too long", () => {
  const flood = (lines: number): string =>
    `head -c ${lines * 100} /dev/zero | tr '\\0' x | fold -w 99; echo end; ${ECHO}`;

  it("is given up, and the agent works on (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve(SMALL);
    const agent = await first.start(rig.agent(flood(6_000)));
    const { text } = collect(agent);
    await expect.poll(() => text().endsWith("end\n")).toBe(true);
    agent.stdin.write("more\n");
    await expect.poll(() => text().endsWith("end\ngot more\n")).toBe(true);
    await first.close({ agents: "go-on" });
    // Nobody can know what it said, so that it cannot be taken up. A server ends it like any process that was left behind.
    const second = await rig.serve(SMALL);
    expect(second.found).toEqual([]);
    expect(await rig.leftovers()).toEqual([agent.pid]);
  });

  it("begins again with the next checkpoint (D4)", async () => {
    const rig = openHostRig();
    const first = await rig.serve(SMALL);
    const agent = await first.start(rig.agent(flood(6_000)));
    const { text } = collect(agent);
    await expect.poll(() => text().endsWith("end\n")).toBe(true);
    agent.host.checkpoint({ offset: text().length, note: { prompt: 2 } });
    agent.stdin.write("more\n");
    await expect.poll(() => text().endsWith("got more\n")).toBe(true);
    await first.close({ agents: "go-on" });
    const { history } = onlyOne(await rig.serve(SMALL));
    expect(history.note).toEqual({ prompt: 2 });
    expect(Buffer.concat(history.output).toString()).toBe("got more\n");
  });
});

describe("a log after a checkpoint", () => {
  const checkpoint = (log: AgentLog, offset: number): void => {
    const note = { at: offset };
    log.addCheckpoint(Buffer.from(JSON.stringify({ offset, note })), offset);
  };

  it("goes on while it is short, and begins again when it is long (D4)", () => {
    const rig = openHostRig();
    const file = path.join(rig.folder, "1.log");
    const about = { sessionId: "s", provider: "p", marker: { owner: "o", agent: "a" } };
    const log = openAgentLog({ file, head: { id: "1", pid: 1, about }, maxBytes: 1_000_000 });
    onTestFinished(() => log.close());
    const said = (): readonly unknown[] => {
      const { note, input = [], output = [] } = readAgentLog(file) ?? {};
      return [note, input, Buffer.concat(output).toString()];
    };
    log.addInput(Buffer.from("first"));
    log.addOutput(Buffer.from("one"));
    const short = log.size;
    checkpoint(log, 3);
    expect(log.size).toBeGreaterThan(short);
    log.addInput(Buffer.from("second"));
    log.addOutput(Buffer.from("two"));
    expect(said()).toEqual([{ at: 3 }, ["second"], "two"]);

    log.addOutput(Buffer.alloc(100_000, "x"));
    checkpoint(log, 100_006);
    expect(log.size).toBeLessThan(1_000);
    log.addOutput(Buffer.from("three"));
    expect(said()).toEqual([{ at: 100_006 }, [], "three"]);
  });
});

describe("a log that cannot be written", () => {
  it("is given up, and its agent works on without it (D4)", () => {
    const about = { sessionId: "s", provider: "p", marker: { owner: "o", agent: "a" } };
    const file = "/dev/full";
    const log = openAgentLog({ file, head: { id: "1", pid: 1, about }, maxBytes: 1_000 });
    log.addOutput(Buffer.from("one"));
    log.addCheckpoint(Buffer.from('{"offset":3}'), 3);
    expect([log.isWhole, log.size]).toEqual([false, 0]);
    log.close();
  });
});

describe("a data folder with a long path", () => {
  it("has the socket of its host in a private folder elsewhere (D4)", async () => {
    const rig = openHostRig();
    const folder = path.join(rig.folder, "long-".repeat(20), "long-".repeat(20));
    mkdirSync(folder, { recursive: true });
    const first = await rig.serve({ folder });
    const agent = await first.start(rig.agent(ECHO));
    const { socket = "" } = readHostFile(folder) ?? {};
    expect(socket.startsWith(folder)).toBe(false);
    await first.close({ agents: "go-on" });
    const second = await rig.serve({ folder });
    const again = await second.attach(onlyOne(second));
    const { text } = collect(again);
    again.stdin.write("hello\n");
    await expect.poll(text).toBe("got hello\n");
    expect(again.pid).toBe(agent.pid);
    await second.close({ agents: "end" });
    await expect.poll(() => existsSync(path.dirname(socket))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith(".sock"))).toEqual([]);
  });
});
