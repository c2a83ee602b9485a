import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDataFolder } from "./settings/data-folder.ts";
import { succeedNode } from "./former-node.ts";

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
    expect(succeedNode(data, "one")).toBeNull();
    expect(succeedNode(data, "two")).toBe("one");
    expect(succeedNode(data, "three")).toBe("two");
  });

  it("is not known of a folder that was copied: it may be alive", () => {
    succeedNode(data, "one");
    const copy = path.join(root, "copy");
    cpSync(data, copy, { recursive: true });
    expect(succeedNode(copy, "two")).toBeNull();
    expect(succeedNode(copy, "three")).toBe("two");
    expect(succeedNode(data, "four")).toBe("one");
  });

  it("is not known from a file that says nothing of the kind", () => {
    for (const text of ["", "{", "null", '{"node":1}']) {
      writeFileSync(path.join(data, "node.json"), text);
      expect(succeedNode(data, "one")).toBeNull();
    }
  });
});
