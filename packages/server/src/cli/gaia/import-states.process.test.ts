import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shouldResume, RESUME_POLICY } from "../../domain/should-resume.ts";
import { StorageFault } from "../../storage/fault.ts";
import type { Store } from "../../storage/store.ts";
import { driveSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { CommandFailure } from "../exit.ts";
import { importStates } from "./import-states.ts";
import { KEPT_KEY } from "./kept-state.ts";
import { CORPUS } from "./testing/corpus.ts";
import { ALL_SAME, GaiaRig, NOW } from "./testing/gaia-rig.ts";
import { toState } from "./to-state.ts";

const STATE = {
  agent_id: "agent-1",
  agent_name: "terraform-architect",
  purpose: "approval_workflow",
  created_at: "2026-01-08T18:05:30.123456+00:00",
  last_updated: "2026-01-08T18:10:15.000009+00:00",
  phase: "approval",
  metadata: { task_id: "T001" },
  resume_ready: true,
  history: [
    {
      from_phase: "initializing",
      to_phase: "approval",
      timestamp: "2026-01-08T18:10:15.000009+00:00",
    },
  ],
  error_count: 2,
  last_error: { message: "refused", timestamp: "2026-01-08T18:09:00+00:00" },
};
const LATER = "2026-01-08T19:00:00+00:00";

let rig: GaiaRig;
beforeEach(async () => {
  rig = await GaiaRig.open();
});
afterEach(() => rig.close());

async function drive(name: string): Promise<SessionDriver> {
  const { id } = await rig.session(name);
  return driveSession(rig.store, { id, now: NOW });
}

describe("importing GAIA's files", () => {
  it("B8 creates a session from each file, with its phases, errors and times", async () => {
    rig.write("agent-1", STATE);
    expect(await rig.import()).toEqual({ ...ALL_SAME, total: 1, imported: 1 });
    const session = await rig.session("agent-1");
    expect(session).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      agentId: "agent-1",
      agentName: "terraform-architect",
      purpose: "approval_workflow",
      status: "active",
      state: "idle",
      phase: "approval",
      phaseHistory: [{ from: "initializing", to: "approval", at: "2026-01-08T18:10:15.000Z" }],
      resumeReady: true,
      errorCount: 2,
      lastError: "refused",
      lastErrorAt: "2026-01-08T18:09:00.000Z",
      createdAt: "2026-01-08T18:05:30.123Z",
      updatedAt: "2026-01-08T18:10:15.000Z",
      lastActiveAt: "2026-01-08T18:10:15.000Z",
      finalizedAt: null,
      summary: null,
    });
    expect(session.metadata).toEqual({ task_id: "T001", [KEPT_KEY]: expect.anything() });
    expect(toState(session)).toMatchObject({ agent_id: "agent-1", metadata: { task_id: "T001" } });
    const log = await rig.store.readEvents({ sessionId: session.id, after: 0, limit: 10 });
    expect(log).toMatchObject([{ seq: 1, at: NOW, event: { type: "session.imported" } }]);
    expect((await rig.store.listSessions({ search: "terraform", limit: 5 })).total).toBe(1);
  });

  it("B8 treats a final phase as the end, at the best known time", async () => {
    const final = { ...STATE, phase: "completed", resume_ready: false };
    const end = {
      from_phase: "approval",
      to_phase: "completed",
      timestamp: "2026-01-08T18:10:00Z",
    };
    const states = {
      said: { ...final, finalized_at: "2026-01-08T18:09:59Z", summary: "Applied." },
      changed: { ...final, history: [end] },
      neither: { ...final, last_updated: "2026-01-08T18:10:15Z" },
    };
    for (const [name, state] of Object.entries(states))
      rig.write(name, { ...state, agent_id: name });
    await rig.import();
    const ends = await Promise.all(
      Object.keys(states).map(async (name) => {
        const { finalizedAt, summary } = await rig.session(name);
        return [finalizedAt, summary];
      }),
    );
    expect(ends).toEqual([
      ["2026-01-08T18:09:59.000Z", "Applied."],
      ["2026-01-08T18:10:00.000Z", null],
      ["2026-01-08T18:10:15.000Z", null],
    ]);
  });

  it("B3 judges an imported session as GAIA does", async () => {
    rig.write("agent-1", STATE);
    rig.write("agent-2", { ...STATE, agent_id: "agent-2", resume_ready: false });
    await rig.import();
    const now = Date.parse(STATE.last_updated) + 60_000;
    const reasons = await Promise.all(
      ["agent-1", "agent-2"].map(async (name) => {
        const { session } = await (await drive(name)).stored();
        return shouldResume({ ...session, status: "active" }, { now, policy: RESUME_POLICY })
          .reason;
      }),
    );
    expect(reasons).toEqual(["session_resumable", "not_resume_ready"]);
  });

  it("does not import permissions from a file", async () => {
    const metadata = {
      permissionGrants: [{ id: "g" }],
      permissions: { rules: [{ decision: "allow" }, { kind: "edit", decision: "deny" }] },
    };
    rig.write("agent-1", { ...STATE, metadata });
    await rig.import();
    const session = await rig.session("agent-1");
    expect(session.metadata).toEqual({
      permissions: { rules: [{ kind: "edit", decision: "deny" }], phases: {} },
      [KEPT_KEY]: expect.anything(),
    });
    expect(toState(session).metadata).toEqual(metadata);
  });

  it("stops between two batches when aborted, continues when repeated, and reports its progress", async () => {
    const total = 1100;
    for (let index = 0; index < total; index += 1)
      rig.write(`a-${index}`, { ...STATE, agent_id: `a-${index}` });
    const stopping = new AbortController();
    const stopped = await rig.import({
      onProgress: () => stopping.abort(),
      signal: stopping.signal,
    });
    expect(stopped).toEqual({ ...ALL_SAME, total, imported: 768 });
    const progress: (readonly [number, number])[] = [];
    const rest = await rig.import({ onProgress: (...told) => progress.push(told) });
    expect(rest).toEqual({ ...ALL_SAME, total, imported: 332, unchanged: 768 });
    expect(progress).toEqual([256, 512, 768, 1024, 1100].map((done) => [done, total]));
  });

  it("fails when the database fails, and completes when repeated", async () => {
    for (const [name, state] of Object.entries(CORPUS)) rig.write(name, state);
    const total = Object.keys(CORPUS).length;
    let commits = 0;
    const failing: Store = {
      ...rig.store,
      commit: async (change) => {
        commits += 1;
        if (commits === 4) throw new StorageFault("disk_full", "no room");
        return rig.store.commit(change);
      },
    };
    const options = { folder: rig.folder, clock: () => NOW, newId: randomUUID };
    await expect(importStates(failing, options)).rejects.toThrow("no room");
    expect(await rig.import()).toEqual({ ...ALL_SAME, total, imported: 1, unchanged: total - 1 });
  });
});

describe("files that cannot be imported", () => {
  it("B5 are skipped with the reason, and the others are imported", async () => {
    const bad: Readonly<Record<string, readonly [unknown, string]>> = {
      "b-array": ["[1]", "is not an object"],
      "b-big": [`{"phase":"planning","x":"${"y".repeat(1024 * 1024)}"}`, "is larger than 1 MiB"],
      "b-count": [{ ...STATE, error_count: -1 }, "error_count is not a whole number from 0: -1"],
      "b-cut": [JSON.stringify(STATE).slice(0, 100), "is not JSON"],
      "b-date": [
        { ...STATE, created_at: "2026-02-30T00:00:00Z" },
        `created_at is not a time: "2026-02-30T00:00:00Z"`,
      ],
      "b-deep": [`{"x":${"[".repeat(70)}${"]".repeat(70)}}`, "is nested too deeply"],
      "b-deeper": [
        `{"n":1234567890123456,"x":${"[".repeat(400_000)}${"]".repeat(400_000)}}`,
        "is nested too deeply",
      ],
      "b-empty": ["", "is empty"],
      "b-entry": [
        { ...STATE, history: [{ from_phase: "planning", to_phase: "napping", timestamp: LATER }] },
        `history[0].to_phase is not a phase: "napping"`,
      ],
      "b-error": [{ ...STATE, last_error: 7 }, "last_error is not a text: 7"],
      "b-flag": [{ ...STATE, resume_ready: "yes" }, `resume_ready is not true or false: "yes"`],
      "b-history": [{ ...STATE, history: {} }, "history is not a list: {}"],
      "b-id": [
        { ...STATE, agent_id: "../../etc" },
        `agent_id is not 1 to 128 letters, digits, dots, colons, hyphens or underscores: "../../etc"`,
      ],
      "b-id-type": [{ ...STATE, agent_id: 5 }, "agent_id is not a text: 5"],
      "b-metadata": [
        { ...STATE, metadata: "x".repeat(80) },
        `metadata is not an object: "${"x".repeat(59)}…`,
      ],
      "b-name": [{ ...STATE, agent_name: ["a"] }, `agent_name is not a text: ["a"]`],
      "b-nan": [`{"phase":"planning","created_at":"${LATER}","x":NaN}`, "is not JSON"],
      "b-number": [
        `{"phase":"planning","created_at":"${LATER}","x":12345678901234567890}`,
        "has a number that cannot be kept: 12345678901234567890",
      ],
      "b-phase": [{ ...STATE, phase: "sleeping" }, `phase is not a phase: "sleeping"`],
      "b-phaseless": [{ created_at: LATER }, "phase is missing"],
      "b-time": [{ ...STATE, last_updated: 1767895530 }, "last_updated is not a time: 1767895530"],
      "b-timeless": [{ phase: "planning" }, "created_at is missing"],
    };
    const files = Object.entries(bad).map(([name, [state, reason]]) => ({
      file: rig.write(name, state),
      reason,
    }));
    rig.write("good", { ...STATE, agent_id: "good" });
    const result = await rig.import();
    expect(result.setAside).toEqual(files);
    expect(result).toMatchObject({ total: files.length + 1, imported: 1 });
    expect(await rig.session("good")).toMatchObject({ agentId: "good" });
  });

  it("B5 are skipped without blocking when they are not regular files", async () => {
    const at = (...names: string[]): string => path.join(rig.folder, ...names);
    writeFileSync(at("README.md"), "not a session");
    mkdirSync(at("folder", "state.json"), { recursive: true });
    mkdirSync(at("none"));
    mkdirSync(at("pipe"));
    execFileSync("mkfifo", [at("pipe", "state.json")]);
    mkdirSync(at("loop"));
    symlinkSync("state.json", at("loop", "state.json"));
    symlinkSync("self", at("self"));
    symlinkSync("nowhere", at("dangling"));
    mkdirSync(at("latin"));
    writeFileSync(at("latin", "state.json"), Buffer.from(`{"phase":"caf\xe9"}`, "latin1"));
    symlinkSync(at("real"), at("linked"));
    rig.write("real", { ...STATE, agent_id: "real" });
    const reasons = [
      ["dangling", "is not there"],
      ["folder", "is not a file"],
      ["latin", "is not UTF-8"],
      ["linked", "is a copy of real in real"],
      ["loop", "is a symbolic link that leads back to itself"],
      ["none", "is not there"],
      ["pipe", "is not a file"],
      ["self", "is a symbolic link that leads back to itself"],
    ];
    expect(await rig.import()).toEqual({
      ...ALL_SAME,
      total: 9,
      imported: 1,
      setAside: reasons.map(([name = "", reason]) => ({ file: at(name, "state.json"), reason })),
    });
  });

  it("of two files with the same agent ID, only the one in the folder of that name is imported", async () => {
    const first = rig.write("a-copy", { ...STATE, metadata: { from: "copy" } });
    rig.write("agent-1", { ...STATE, metadata: { from: "original" } });
    rig.write("x-1", { ...STATE, agent_id: "moved" });
    const last = rig.write("x-2", { ...STATE, agent_id: "moved" });
    expect(await rig.import()).toMatchObject({
      imported: 2,
      setAside: [
        { file: first, reason: "is a copy of agent-1 in agent-1" },
        { file: last, reason: "is a copy of moved in x-1" },
      ],
    });
    expect(toState(await rig.session("agent-1")).metadata).toEqual({ from: "original" });
  });

  it("fails with one line for a folder that cannot be read", async () => {
    rmSync(rig.folder, { recursive: true });
    await expect(rig.import()).rejects.toThrow(new CommandFailure(`${rig.folder} is not there.`));
  });

  it("B8 does not change any file", async () => {
    const texts = Object.entries(CORPUS).map(([name, state]) => {
      const file = rig.write(name, state);
      return [file, readFileSync(file, "utf8")] as const;
    });
    texts.push([rig.write("broken", "{"), "{"]);
    await rig.import();
    await rig.import();
    for (const [file, text] of texts) expect(readFileSync(file, "utf8")).toBe(text);
  });
});
