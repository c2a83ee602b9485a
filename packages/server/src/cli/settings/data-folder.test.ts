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
