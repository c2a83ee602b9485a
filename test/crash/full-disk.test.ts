import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Readiness } from "../../packages/protocol/src/index.ts";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { holdfast } from "../e2e/holdfast-process.ts";
import { CrashRig } from "./crash-rig.ts";

let rig: CrashRig;
beforeEach(async () => {
  rig = await CrashRig.open({ smallDisk: true });
});
afterEach(() => rig.close());

async function ready(): Promise<Readiness> {
  const isOver = calmDeadline(30_000);
  for (;;) {
    const readiness = await rig.client.readiness();
    if (readiness.status === "ready") return readiness;
    if (isOver()) throw new Error(`the server is not ready: ${readiness.reason}`);
    await pause(100);
  }
}

describe("a disk without a free byte", () => {
  it("lets a server start again after a stop, read, and tell what is wrong", async () => {
    expect(await rig.start()).toBe(true);
    const { id } = await rig.createSession("scripted");
    await rig.stop();
    const free = rig.fillDisk();

    expect(await rig.start()).toBe(true);
    expect(await rig.client.sessions.get(id)).toMatchObject({ id });
    expect((await rig.client.sessions.list()).sessions).toMatchObject([{ id }]);
    const problem = expect.stringContaining("Nothing can be stored, only read. The disk is full");
    expect(await rig.client.readiness()).toMatchObject({ status: "unready", reason: problem });
    expect(rig.output).toContain("holdfast: Nothing can be stored, only read. The disk is full");
    await expect(rig.client.sessions.create({ title: "more" })).rejects.toMatchObject({
      code: "disk_full",
    });

    free();
    await ready();
    await rig.client.sessions.create({ title: "more" });
    const isOver = calmDeadline(30_000);
    while ((await rig.client.sessions.get(id)).status !== "active") {
      if (isOver()) throw new Error("the session did not become active again");
      await pause(100);
    }
  });

  it("lets a server start again after a kill, and read what was acknowledged", async () => {
    expect(await rig.start()).toBe(true);
    const { id } = await rig.createSession("scripted");
    await rig.kill();
    rig.fillDisk();
    expect(await rig.start()).toBe(true);
    expect((await rig.client.sessions.list()).sessions).toMatchObject([{ id }]);
  });

  it("is named in one line at the first start", async () => {
    const data = path.join(rig.data, "new");
    mkdirSync(data, { mode: 0o700 });
    rig.fillDisk();
    const { code, stderr } = await holdfast(["serve", "--port", "0", "--data", data]);
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(
        /^holdfast: SQLite, .*: The disk is full: .*\. Free some space, then start the server again\.$/u,
      ),
    ]);
    expect(code).toBe(2);
  });
});
