import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataFolder, recordNode } from "./data-folder.ts";

let root: string;
let data: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "holdfast-former-"));
  data = path.join(root, "data");
  lockDataFolder(data).release();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the node that had a data folder before", () => {
  it("is nobody at first, then the last one", () => {
    expect(recordNode(data, "one")).toBeNull();
    expect(recordNode(data, "two")).toBe("one");
    expect(recordNode(data, "three")).toBe("two");
  });

  it("is not known of a folder that was copied: it may be alive", () => {
    recordNode(data, "one");
    const copy = path.join(root, "copy");
    cpSync(data, copy, { recursive: true });
    expect(recordNode(copy, "two")).toBeNull();
    expect(recordNode(copy, "three")).toBe("two");
    expect(recordNode(data, "four")).toBe("one");
  });

  it("is not known from a file that says nothing of the kind", () => {
    for (const text of ["", "{", "null", '{"node":1}']) {
      writeFileSync(path.join(data, "node.json"), text);
      expect(recordNode(data, "one")).toBeNull();
    }
  });
});
