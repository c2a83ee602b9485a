import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isLocked, lockDataFolder, recordNode, runningServer } from "./data-folder.ts";

let root: string;
let data: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "holdfast-former-"));
  data = path.join(root, "data");
  lockDataFolder(data).release();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the former node of a data folder", () => {
  it("is null at first, then the previous node", () => {
    expect(recordNode(data, "one")).toBeNull();
    expect(recordNode(data, "two")).toBe("one");
    expect(recordNode(data, "three")).toBe("two");
  });

  it("is null in a copied folder, since the node may be alive", () => {
    recordNode(data, "one");
    const copy = path.join(root, "copy");
    cpSync(data, copy, { recursive: true });
    expect(recordNode(copy, "two")).toBeNull();
    expect(recordNode(copy, "three")).toBe("two");
    expect(recordNode(data, "four")).toBe("one");
  });

  it("is null when the file is invalid", () => {
    for (const text of ["", "{", "null", '{"node":1}']) {
      writeFileSync(path.join(data, "node.json"), text);
      expect(recordNode(data, "one")).toBeNull();
    }
  });
});

describe("the lock of a data folder", () => {
  it("is held from the start to the end of a server, and looking at it does not take it", () => {
    expect(isLocked(path.join(root, "missing"))).toBe(false);
    expect(isLocked(data)).toBe(false);
    const lock = lockDataFolder(data);
    expect([isLocked(data), isLocked(data)]).toEqual([true, true]);
    lock.release();
    expect(isLocked(data)).toBe(false);
    lockDataFolder(data).release();
  });

  it("removes the address of a killed server, whose process ID may belong to another program by now", () => {
    const file = path.join(data, "server.json");
    const killed = { url: "http://127.0.0.1:1", pid: 1, startedAt: "", version: "0.1.0" };
    writeFileSync(file, JSON.stringify(killed));
    expect(runningServer(data)).toBeNull();
    const lock = lockDataFolder(data);
    expect([existsSync(file), runningServer(data)]).toEqual([false, null]);
    lock.announce({ ...killed, pid: 2 });
    expect(runningServer(data)?.pid).toBe(2);
    lock.release();
  });
});
