import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { needProc } from "../../domain/testing/machine.ts";
import { openAgentHost, type AgentHost } from "../host/agent-host.ts";
import type { Agent, AgentReport, OutputPlace, ReportPlace } from "../provider.ts";
import { promptOf } from "../testing/agent-rig.ts";
import {
  ask,
  elicit,
  form,
  ignore,
  say,
  shell,
  silent,
  waitFor,
  type Step,
} from "../testing/script.ts";
import { scriptedDefinition } from "../testing/scripted-provider.ts";
import { createAcpProvider } from "./acp-provider.ts";
import { findMarked, sweepAgents } from "./process/process-sweep.ts";
import { sessionOf } from "./take-up.ts";

beforeAll(needProc);

type Placed = readonly [AgentReport, ReportPlace];

/** Servers that come and go, and an agent that stays. */
function openRig() {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-take-up-"));
  const owner = `test-${randomUUID()}`;
  const log = path.join(folder, "received.jsonl");
  const definition = scriptedDefinition({ folder: path.join(folder, "memory"), log });
  let last: AgentHost | null = null;
  onTestFinished(async () => {
    await last?.close({ agents: "end" });
    const left = await findMarked({ owner });
    await sweepAgents({ owner });
    rmSync(folder, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const serve = async () => {
    const host = await openAgentHost({
      folder: path.join(folder, "host"),
      version: "1",
      unattendedMs: 60_000,
    });
    last = host;
    const provider = createAcpProvider({
      definition,
      owner,
      environment: process.env,
      journalFolder: path.join(folder, "journal"),
      clientVersion: "0.0.0",
      host,
    });
    const placed: Placed[] = [];
    const request = {
      sessionId: "session-1",
      signal: new AbortController().signal,
      onReport: (report: AgentReport, place?: ReportPlace) => {
        if (place !== undefined && report.report !== "alive") placed.push([report, place]);
        return undefined;
      },
    };
    const text = (isStored: boolean): string =>
      placed
        .filter(([, place]) => place.isStored === isStored)
        .map(([report]) => (report.report === "text" ? report.text : ""))
        .join("");
    return {
      host,
      placed,
      text,
      start: () =>
        provider.startAgent({
          ...request,
          workspace: { path: folder, descriptor: null },
          model: null,
          resume: null,
        }),
      startFromSpare: async () => {
        const workspace = { path: folder, descriptor: null };
        const { signal } = request;
        const spare = (await provider.startSpare?.({ workspace, signal })) ?? null;
        return provider.startAgent({ ...request, spare, workspace, model: null, resume: null });
      },
      takeUp: async (stored: OutputPlace | null): Promise<Agent> => {
        const agent = await provider.takeUp?.({
          ...request,
          agent: host.found[0]?.id ?? "",
          stored,
        });
        if (agent === null || agent === undefined) throw new Error("it was not taken up");
        return agent;
      },
      leave: () => host.close({ agents: "go-on" }),
    };
  };
  const received = (method: string): number =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes(`"method":"${method}"`)).length;
  return { folder, serve, received };
}

const note = { run: "run-1" };
const prompt = (...steps: readonly Step[]) => ({ ...promptOf(...steps), note });

describe("an agent that is taken up", () => {
  it("goes on in the middle of its prompt, and says every word once (D4)", async () => {
    const rig = openRig();
    const go = path.join(rig.folder, "go");
    const first = await rig.serve();
    const agent = await first.start();
    void agent.prompt(prompt(say("one "), say("two "), waitFor(go), say("three"))).catch(() => {});
    await expect.poll(() => first.text(false)).toBe("one two ");
    const stored = first.placed.find(([report]) => report.report === "text")?.[1] ?? null;
    await first.leave();
    const second = await rig.serve();
    const again = await second.takeUp(stored);
    expect(again.pid).toBe(agent.pid);
    expect(again.openPrompt).toEqual(note);
    const end = again.prompt(prompt());
    writeFileSync(go, "");
    expect(await end).toMatchObject({ stopReason: "end_turn" });
    expect([second.text(true), second.text(false)]).toEqual(["one ", "two three"]);
    expect(rig.received("session/prompt")).toBe(1);
    expect(again.openPrompt).toBeNull();
    // It can be prompted again.
    expect(await again.prompt(prompt(say("four")))).toMatchObject({ stopReason: "end_turn" });
    expect(second.text(false)).toBe("two threefour");
  });

  it("is found for the session that it got after it was started as a spare (D4)", async () => {
    const rig = openRig();
    const go = path.join(rig.folder, "go");
    const first = await rig.serve();
    const agent = await first.startFromSpare();
    void agent.prompt(prompt(say("one "), waitFor(go), say("two"))).catch(() => {});
    await expect.poll(() => first.text(false)).toBe("one ");
    await first.leave();
    const second = await rig.serve();
    expect(second.host.found.map(({ history }) => sessionOf(history))).toEqual(["session-1"]);
    const again = await second.takeUp(null);
    expect(again.pid).toBe(agent.pid);
    const end = again.prompt(prompt());
    writeFileSync(go, "");
    expect(await end).toMatchObject({ stopReason: "end_turn" });
    expect(second.text(false)).toBe("one two");
    await again.prompt(prompt(say("three")));
    await second.leave();
    const third = await rig.serve();
    expect(third.host.found.map(({ history }) => sessionOf(history))).toEqual(["session-1"]);
  });

  it("gets the answer to the question that it asked the server before (D4)", async () => {
    const rig = openRig();
    const first = await rig.serve();
    const agent = await first.start();
    void agent.prompt(prompt(ask({ id: "t1", title: "Do it" }))).catch(() => {});
    await expect.poll(() => first.placed.map(([{ report }]) => report)).toContain("permission");
    const asked = first.placed.find(([{ report }]) => report === "permission");
    await first.leave();
    const second = await rig.serve();
    const again = await second.takeUp(asked?.[1] ?? null);
    const end = again.prompt(prompt());
    await expect.poll(() => second.placed.map(([{ report }]) => report)).toContain("permission");
    const repeated = second.placed.find(([{ report }]) => report === "permission");
    expect(repeated).toEqual([asked?.[0], { ...asked?.[1], isStored: true }]);
    const requestId = repeated?.[0].report === "permission" ? repeated[0].requestId : "";
    expect(again.answer(requestId, { outcome: "selected", optionId: "allow" })).toBe(true);
    await end;
    expect(second.text(false)).toBe("answer: allow");
  });

  it("does not get an answer twice (D4)", async () => {
    const rig = openRig();
    const go = path.join(rig.folder, "go");
    const first = await rig.serve();
    const agent = await first.start();
    void agent
      .prompt(prompt(ask({ id: "t1", title: "Do it" }), waitFor(go), say(" end")))
      .catch(() => {});
    await expect.poll(() => first.placed.map(([{ report }]) => report)).toContain("permission");
    const asked = first.placed.find(([{ report }]) => report === "permission");
    const requestId = asked?.[0].report === "permission" ? asked[0].requestId : "";
    agent.answer(requestId, { outcome: "selected", optionId: "allow" });
    await expect.poll(() => first.text(false)).toBe("answer: allow");
    await first.leave();
    const second = await rig.serve();
    const again = await second.takeUp(null);
    const end = again.prompt(prompt());
    await expect.poll(() => second.text(false)).toBe("answer: allow");
    // The server does not know that it was delivered.
    again.answer(requestId, { outcome: "selected", optionId: "reject" });
    writeFileSync(go, "");
    await end;
    expect(second.text(false)).toBe("answer: allow end");
  });

  it("is told to cancel once (D4)", async () => {
    const rig = openRig();
    const first = await rig.serve();
    const agent = await first.start();
    void agent.prompt(prompt(say("on"), silent())).catch(() => {});
    await expect.poll(() => first.text(false)).toBe("on");
    await first.leave();
    const second = await rig.serve();
    const again = await second.takeUp(null);
    expect(await again.cancel()).toBe("settled");
    expect(rig.received("session/cancel")).toBe(1);
    expect(await again.prompt(prompt(say("next")))).toMatchObject({ stopReason: "end_turn" });
  });

  it("has ended its prompt while nobody was there (D4)", async () => {
    const rig = openRig();
    const [go, done] = [path.join(rig.folder, "go"), path.join(rig.folder, "done")];
    const first = await rig.serve();
    const agent = await first.start();
    void agent
      .prompt(prompt(say("a"), waitFor(go), say("b"), shell(`touch ${done}`)))
      .catch(() => {});
    await expect.poll(() => first.text(false)).toBe("a");
    await first.leave();
    writeFileSync(go, "");
    await expect.poll(() => existsSync(done)).toBe(true);
    const second = await rig.serve();
    const again = await second.takeUp(null);
    expect(await again.prompt(prompt())).toMatchObject({ stopReason: "end_turn" });
    expect(second.text(false)).toBe("ab");
  });

  it("was ended while nobody was there: it has not finished, although it says that it was cancelled (D4, P2)", async () => {
    const rig = openRig();
    const first = await rig.serve();
    const agent = await first.start();
    void agent.prompt(prompt(say("on"), silent())).catch(() => {});
    await expect.poll(() => first.text(false)).toBe("on");
    const host = first.host.pid ?? 0;
    await first.leave();
    process.kill(host, "SIGTERM");
    await expect.poll(() => existsSync(`/proc/${host}/exe`)).toBe(false);
    expect(rig.received("session/cancel")).toBe(1);
    const second = await rig.serve();
    const again = await second.takeUp(null);
    await expect(again.prompt(prompt())).rejects.toMatchObject({ code: "agent_exited" });
    expect(again.endedBy).toBe("host");
    expect(second.text(false)).toBe("on");
  });

  it("cannot be one that was given a secret, because nothing of that may be on disk (D1)", async () => {
    const rig = openRig();
    const secret = "correct-horse-battery";
    const first = await rig.serve();
    const agent = await first.start();
    const askFor = elicit(form("Which?", { key: { type: "string", writeOnly: true } }));
    const ended = agent.prompt(prompt(askFor));
    const asked = (): AgentReport | undefined =>
      first.placed.map(([report]) => report).find(({ report }) => report === "elicitation");
    await expect.poll(() => asked() !== undefined).toBe(true);
    const log = (): string => logsIn(path.join(rig.folder, "host"));
    expect(log()).toContain("Which?");
    const request = asked();
    const requestId = request?.report === "elicitation" ? request.requestId : "";
    agent.answer(requestId, { action: "accept", content: { key: secret } });
    await ended;
    expect(await agent.prompt(prompt(say(secret)))).toMatchObject({ stopReason: "end_turn" });
    expect(log()).toBe("");
    await first.leave();
    const second = await rig.serve();
    expect(second.host.found).toEqual([]);
  });
});

const logsIn = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".log"))
    .map((name) => readFileSync(path.join(folder, name), "latin1"))
    .join("");

describe("an agent that its host ends while a server listens", () => {
  /** It lives on after its reply, so that the reply is read before it has exited. */
  const lingers = ignore("eof", "sigterm");

  it("has not finished, although it says that it was cancelled (D4, P2)", async () => {
    const rig = openRig();
    const { host, start, text } = await rig.serve();
    const agent = await start();
    const end = agent.prompt(prompt(lingers, say("on"), silent()));
    await expect.poll(() => text(false)).toBe("on");
    process.kill(host.pid ?? 0, "SIGTERM");
    await expect(end).rejects.toMatchObject({ code: "agent_exited" });
    expect(agent.endedBy).toBe("host");
  });

  it("leaves its question open (C3, D4)", async () => {
    const rig = openRig();
    const { host, start, placed } = await rig.serve();
    const agent = await start();
    const question = ask({ id: "t1", title: "Do it", isLeft: true });
    const end = agent.prompt(prompt(lingers, question, silent()));
    const reports = (): readonly string[] => placed.map(([{ report }]) => report);
    await expect.poll(reports).toContain("permission");
    process.kill(host.pid ?? 0, "SIGTERM");
    await expect(end).rejects.toMatchObject({ code: "agent_exited" });
    expect(reports()).not.toContain("withdrawn");
  });
});
