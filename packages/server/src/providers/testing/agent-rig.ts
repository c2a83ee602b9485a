import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { needProc } from "../../domain/testing/machine.ts";
import { createAcpProvider, type AcpProviderOptions } from "../acp/acp-provider.ts";
import { ACP_TIMES, type AcpTimes } from "../acp/acp-times.ts";
import { findMarked } from "../acp/process/process-sweep.ts";
import type { Agent, AgentReport, Provider, StartAgent } from "../provider.ts";
import { script, type Step } from "./script.ts";
import { scriptedDefinition, type ScriptedDefinition } from "./scripted-provider.ts";

/** A provider of the scripted agent with its folders. Everything is removed after the test. */
export interface AgentRig {
  readonly provider: Provider;
  readonly owner: string;
  readonly folder: string;
  /** The agents' reports in order, without signs of life. */
  readonly reports: AgentReport[];
  /** All reports. */
  readonly all: AgentReport[];
  start(request?: Partial<StartAgent>): Promise<Agent>;
  /** Resolves with the first report of this kind, past or future. */
  reported<Kind extends AgentReport["report"]>(
    kind: Kind,
    which?: (report: Extract<AgentReport, { report: Kind }>) => boolean,
  ): Promise<Extract<AgentReport, { report: Kind }>>;
  /** All text of the agents. */
  text(): string;
  /** The messages the agent received. */
  received(): readonly Received[];
  /** The journal of the first session. */
  journal(): string;
  /** Processes with this rig's marker. */
  leftovers(): Promise<readonly number[]>;
}

export interface Received {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

export interface RigOptions extends ScriptedDefinition {
  readonly times?: Partial<AcpTimes>;
  readonly provider?: Partial<AcpProviderOptions>;
  readonly onReport?: StartAgent["onReport"];
}

/** Long enough for slow machines: they pass only if the agent never acts. */
const PATIENT_TIMES: Partial<AcpTimes> = {
  cancelMs: 60_000,
  closeMs: 60_000,
  endMs: 60_000,
  termMs: 60_000,
  exitMs: 60_000,
  killMs: 60_000,
};

/** For stopping an agent that never acts. */
export const SHORT_TIMES: Partial<AcpTimes> = {
  cancelMs: 300,
  closeMs: 300,
  endMs: 300,
  termMs: 300,
  urgentMs: 300,
};

export function openAgentRig({ times, provider, onReport, ...options }: RigOptions = {}): AgentRig {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-agent-"));
  const owner = `test-${randomUUID()}`;
  const log = path.join(folder, "received.jsonl");
  const agents: Agent[] = [];
  const all: AgentReport[] = [];
  const reports: AgentReport[] = [];
  let waiting: ((report: AgentReport) => boolean)[] = [];

  const created = createAcpProvider({
    definition: scriptedDefinition({ folder: path.join(folder, "memory"), log, ...options }),
    owner,
    environment: process.env,
    journalFolder: path.join(folder, "journal"),
    clientVersion: "0.0.0",
    times: { ...PATIENT_TIMES, ...times },
    ...provider,
  });

  const leftovers = (): Promise<readonly number[]> => findMarked({ owner });

  onTestFinished(async () => {
    await Promise.all(agents.map((agent) => agent.stop({ urgent: true })));
    expect(await leftovers()).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    provider: created,
    owner,
    folder,
    reports,
    all,
    leftovers,
    start: async (request = {}) => {
      const agent = await created.startAgent({
        sessionId: "session-1",
        workspace: { path: folder, descriptor: null },
        model: null,
        resume: null,
        signal: new AbortController().signal,
        onReport: (report) => {
          all.push(report);
          if (report.report !== "alive") reports.push(report);
          waiting = waiting.filter((look) => !look(report));
          return onReport?.(report);
        },
        ...request,
      });
      agents.push(agent);
      return agent;
    },
    reported: <Kind extends AgentReport["report"]>(
      kind: Kind,
      which: (report: Extract<AgentReport, { report: Kind }>) => boolean = () => true,
    ) =>
      new Promise<Extract<AgentReport, { report: Kind }>>((resolve) => {
        const look = (report: AgentReport): boolean => {
          const candidate = report as Extract<AgentReport, { report: Kind }>;
          if (report.report !== kind || !which(candidate)) return false;
          resolve(candidate);
          return true;
        };
        if (!all.some(look)) waiting.push(look);
      }),
    text: () => all.map((report) => (report.report === "text" ? report.text : "")).join(""),
    journal: () => readFileSync(path.join(folder, "journal", "session-1.jsonl"), "utf8"),
    received: () =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Received & { readonly got?: string })
        .filter(({ got }) => got === undefined),
  };
}

/** Does work that waits for a reply to this request, and lets the time of the reply pass at once. */
export async function withoutReply<Value>(
  rig: AgentRig,
  method: string,
  work: () => Promise<Value>,
): Promise<Value> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const result = work();
  result.catch(() => {});
  try {
    await expect.poll(() => rig.received().some((each) => each.method === method)).toBe(true);
    vi.advanceTimersByTime(ACP_TIMES.startMs);
  } finally {
    // The stop of the agent needs real ones.
    vi.useRealTimers();
  }
  return result;
}

/** A prompt with these steps for the scripted agent. */
export function promptOf(...steps: readonly Step[]): Parameters<Agent["prompt"]>[0] {
  return { parts: [{ type: "text", text: script(...steps) }], model: null };
}

/** Whether a process is alive; a zombie is not. */
export function isAlive(pid: number): boolean {
  needProc();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^\s[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 1));
  } catch {
    return false;
  }
}
