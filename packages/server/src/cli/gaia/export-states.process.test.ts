import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  beginSession,
  driveSession,
  NOON,
  type SessionDriver,
} from "../../storage/testing/session-driver.ts";
import { CommandFailure } from "../exit.ts";
import { CORPUS, inUtc } from "./testing/corpus.ts";
import { GaiaRig, NOW } from "./testing/gaia-rig.ts";

let rig: GaiaRig;
beforeEach(async () => {
  rig = await GaiaRig.open();
});
afterEach(() => rig.close());

const exportedFile = (name: string): string => path.join(rig.exported, name, "state.json");

async function imported(name: string): Promise<SessionDriver> {
  rig.write(name, CORPUS[name]);
  await rig.import();
  const { id } = await rig.session(name);
  return driveSession(rig.store, { id, now: NOW });
}

describe("exporting to GAIA's files", () => {
  it("B8 writes exactly GAIA's fields for a session that was not imported", async () => {
    const session = await beginSession(rig.store, {
      agentId: "agent-7",
      agentName: "ada",
      purpose: "general",
      metadata: { key: [1] },
    });
    await session.perform({ type: "update", changes: {}, phase: "planning" });
    await session.perform({ type: "update", changes: {}, error: { id: "e", text: "oops" } });
    expect(await rig.export()).toEqual({ written: 1, unchanged: 0, refused: [] });
    expect(readFileSync(exportedFile("agent-7"), "utf8")).toBe(
      `${JSON.stringify(
        {
          agent_id: "agent-7",
          agent_name: "ada",
          purpose: "general",
          created_at: "2026-01-08T12:00:00+00:00",
          last_updated: "2026-01-08T12:00:02+00:00",
          phase: "planning",
          metadata: { key: [1] },
          resume_ready: true,
          history: [
            {
              from_phase: "initializing",
              to_phase: "planning",
              timestamp: "2026-01-08T12:00:01+00:00",
            },
          ],
          error_count: 1,
          last_error: { message: "oops", timestamp: "2026-01-08T12:00:02+00:00" },
        },
        null,
        2,
      )}\n`,
    );
    expect(readdirSync(path.join(rig.exported, "agent-7"))).toEqual(["state.json"]);
  });

  it("B8 writes the final fields only for finalized sessions, and the session ID where there is no agent ID", async () => {
    const session = await beginSession(rig.store);
    await session.perform({ type: "finalize", outcome: "completed", summary: "Done." });
    await rig.export();
    expect(rig.read()).toMatchObject({
      [session.id]: {
        agent_id: session.id,
        phase: "completed",
        finalized_at: "2026-01-08T12:00:01+00:00",
        summary: "Done.",
        duration_seconds: 1,
      },
    });
  });

  it("B8 appends later changes to the imported values", async () => {
    const name = "agent-20260112-100000-beef0002";
    const session = await imported(name);
    await session.perform({
      type: "update",
      changes: { metadata: { here: true } },
      phase: "validating",
      error: { id: "e", text: "late" },
    });
    await rig.export();
    const file = inUtc({ ...CORPUS[name] });
    const at = new Date(session.now).toISOString().replace(".000Z", "+00:00");
    expect(rig.read()[name]).toEqual({
      ...file,
      last_updated: at,
      phase: "validating",
      metadata: { ...Object(file["metadata"]), here: true },
      history: [
        ...[file["history"]].flat(),
        { from_phase: "executing", to_phase: "validating", timestamp: at },
      ],
      error_count: 1,
      last_error: { message: "late", timestamp: at },
    });
  });

  it("ruling 22: uses GAIA's defaults for a missing agent name and purpose", async () => {
    await beginSession(rig.store, { agentId: "agent-8", agentName: null, purpose: null });
    await rig.export();
    expect(rig.read()["agent-8"]).toMatchObject({ agent_name: "unknown", purpose: "general" });
  });

  it("ruling 22: rewrites a file whose times older Pythons cannot read", async () => {
    const state = CORPUS["agent-20260108-180530-abc12345"];
    rig.write("agent-20260108-180530-abc12345", state);
    await rig.import();
    expect(await rig.export({ folder: rig.folder })).toMatchObject({ written: 1, unchanged: 0 });
    expect(rig.read(rig.folder)).toEqual({
      "agent-20260108-180530-abc12345": inUtc({ ...state }),
    });
    expect(await rig.export({ folder: rig.folder })).toMatchObject({ written: 0, unchanged: 1 });
    expect(await rig.import()).toMatchObject({ unchanged: 1 });
  });

  it("B8 keeps the whole of a long imported history and appends later changes", async () => {
    const name = "agent-20260115-000000-00000004";
    const session = await imported(name);
    for (const phase of ["executing", "validating"] as const)
      await session.perform({ type: "update", changes: {}, phase });
    await rig.export();
    const given: unknown = Object(CORPUS[name])["history"];
    expect(rig.read()[name]).toMatchObject({
      history: [
        ...[given].flat(),
        { from_phase: "planning", to_phase: "executing" },
        { from_phase: "executing", to_phase: "validating" },
      ],
    });
  });

  it("never writes outside its folder", async () => {
    for (const id of ["../up", "a/b", ".hidden", "..", "x".repeat(201), "spa ce"])
      await beginSession(rig.store, { id });
    await beginSession(rig.store, { id: "linked" });
    mkdirSync(rig.exported);
    const elsewhere = path.join(rig.folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, path.join(rig.exported, "linked"));
    const { written, refused } = await rig.export();
    expect(written).toBe(0);
    expect(refused.map(({ reason }) => reason).toSorted()).toEqual(
      [
        "../up cannot be the name of a folder.",
        "a/b cannot be the name of a folder.",
        ".hidden cannot be the name of a folder.",
        ".. cannot be the name of a folder.",
        `${"x".repeat(201)} cannot be the name of a folder.`,
        "spa ce cannot be the name of a folder.",
        `${path.join(rig.exported, "linked")} is not a folder of its own.`,
      ].toSorted(),
    );
    expect(readdirSync(rig.exported)).toEqual(["linked"]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("B5 does not overwrite an unreadable file, or one that was changed after the session", async () => {
    const [broken, newer, older] = ["broken", "newer", "older"];
    for (const agentId of [broken, newer, older]) await beginSession(rig.store, { agentId });
    await rig.export();
    const whole = readFileSync(exportedFile(newer), "utf8");
    const at = (time: number): string => new Date(time).toISOString();
    const changed = { ...JSON.parse(whole), phase: "planning" };
    writeFileSync(exportedFile(broken), "{");
    writeFileSync(exportedFile(newer), JSON.stringify({ ...changed, last_updated: at(NOON + 1) }));
    writeFileSync(
      exportedFile(older),
      JSON.stringify({ ...changed, agent_id: older, last_updated: at(NOON) }),
    );

    const { written, refused } = await rig.export();

    expect(written).toBe(1);
    expect(refused.map(({ reason }) => reason).toSorted()).toEqual([
      `${exportedFile(broken)} is not JSON. Move it away first.`,
      `${exportedFile(newer)} was changed after the session. Import it first.`,
    ]);
    expect(readFileSync(exportedFile(broken), "utf8")).toBe("{");
    expect(JSON.parse(readFileSync(exportedFile(older), "utf8"))).toMatchObject({
      agent_id: older,
      phase: "initializing",
    });
  });

  it("reports why a session could not be written, and continues with the others", async () => {
    await beginSession(rig.store, { agentId: "a" });
    await beginSession(rig.store, { agentId: "b" });
    mkdirSync(rig.exported);
    writeFileSync(path.join(rig.exported, "a"), "a file where the folder should be");
    expect(await rig.export()).toEqual({
      written: 1,
      unchanged: 0,
      refused: [{ sessionId: expect.any(String), reason: expect.stringContaining("EEXIST") }],
    });
    expect(existsSync(exportedFile("b"))).toBe(true);
  });

  it("fails with one line when the folder cannot be created", async () => {
    writeFileSync(rig.exported, "");
    await expect(rig.export()).rejects.toThrow(CommandFailure);
  });

  it("reports its progress and stops when aborted", async () => {
    await Promise.all(Array.from({ length: 70 }, () => beginSession(rig.store)));
    const stopping = new AbortController();
    const progress: number[] = [];
    const onProgress = (done: number): void => {
      progress.push(done);
      if (done === 64) stopping.abort();
    };
    expect(await rig.export({ onProgress, signal: stopping.signal })).toMatchObject({
      written: 64,
    });
    expect(progress).toEqual([32, 64]);
  });
});
