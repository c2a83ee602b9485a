import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./architecture/read-sources.ts";
import { BILL_FILE, billOfMaterials } from "./dependencies/bill-of-materials.ts";
import { readDependencies, type LockedPackage, type Manifest } from "./dependencies/lock-file.ts";
import { shippedPaths } from "./dependencies/shipped.ts";
import { violationsOf } from "./dependencies/violations.ts";

const GOOD: LockedPackage = {
  version: "1.2.3",
  integrity: `sha512-${"A".repeat(86)}==`,
  license: "MIT",
};

const LEFT = "node_modules/left";

function violationsWith(locked: object, manifest: Manifest = {}, shipped = new Set([LEFT])) {
  const lock = { lockfileVersion: 3, packages: { "": {}, [LEFT]: { ...GOOD, ...locked } } };
  return violationsOf({ lock, manifests: { "package.json": manifest }, shipped });
}

describe("the dependencies", () => {
  it("are pinned, have hashes, allowed licences, and no scripts that nobody decided about", () => {
    expect(violationsOf(readDependencies())).toEqual([]);
  });

  it("are listed in the bill of materials (npm run sbom updates it)", () => {
    const bill = readFileSync(join(root, BILL_FILE), "utf8");
    expect(bill).toBe(billOfMaterials(readDependencies()));
    expect(bill).toContain("pkg:npm/kysely@");
    expect(bill).not.toContain("pkg:npm/vitest@");
  });
});

describe("users get with Holdfast", () => {
  const packages = {
    "node_modules/a": { dependencies: { b: "1" }, peerDependencies: { c: "1", d: "1" } },
    "node_modules/a/node_modules/b": { optionalDependencies: { e: "1" } },
    "node_modules/b": {},
    "node_modules/c": {},
    "node_modules/e": { dependencies: { a: "1" } },
    "node_modules/tool": {},
  };

  it("what the sources import and what that needs, in the versions that it finds, and no tools", () => {
    expect([...shippedPaths({ lockfileVersion: 3, packages }, ["a"])]).toEqual([
      "node_modules/a",
      "node_modules/a/node_modules/b",
      "node_modules/e",
      "node_modules/c",
    ]);
  });

  it("no peer that is optional", () => {
    const optional = {
      "node_modules/a": {
        peerDependencies: { b: "1" },
        peerDependenciesMeta: { b: { optional: true } },
      },
      "node_modules/b": {},
    };
    expect([...shippedPaths({ lockfileVersion: 3, packages: optional }, ["a"])]).toEqual([
      "node_modules/a",
    ]);
  });
});

describe("a dependency is refused when", () => {
  it("everything about it is good: then it is not", () => {
    expect(violationsWith({})).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["it has no hash", { integrity: undefined }, "left@1.2.3: has no SHA-512 hash"],
    ["its hash is weak", { integrity: "sha1-AAAA" }, "left@1.2.3: has no SHA-512 hash"],
    [
      "it comes from a repository",
      { resolved: "git+ssh://git@example.org/left.git#abc" },
      "left@1.2.3: comes from git+ssh://git@example.org/left.git#abc, not from the registry",
    ],
    [
      "it comes from another host",
      { resolved: "https://example.org/left.tgz" },
      "left@1.2.3: comes from https://example.org/left.tgz, not from the registry",
    ],
    [
      "its licence is unknown",
      { license: undefined },
      "left@1.2.3: the licence none is not allowed",
    ],
    [
      "users would get it under another licence",
      { license: "MPL-2.0" },
      "left@1.2.3: the licence MPL-2.0 is not allowed",
    ],
    [
      "it runs a script",
      { hasInstallScript: true },
      "left@1.2.3: runs a script when it is installed, and allowScripts does not decide about it",
    ],
  ])("%s", (_, locked, violation) => {
    expect(violationsWith(locked)).toEqual([violation]);
  });

  it("a manifest accepts several versions of it, or its scripts in every version", () => {
    const manifest = { dependencies: { left: "^1.2.3" }, allowScripts: { left: true } };
    expect(violationsWith({ hasInstallScript: true }, manifest)).toEqual([
      "package.json: left@^1.2.3 is not an exact version",
      "allowScripts: left is allowed for every version",
    ]);
  });

  it("a link leads to a folder that is no workspace", () => {
    expect(violationsWith({ link: true, resolved: "../elsewhere" })).toEqual([
      "node_modules/left: is a link to ../elsewhere, which is no workspace",
    ]);
  });

  it("may have a further licence if only tools use it, and one of several", () => {
    expect(violationsWith({ license: "MPL-2.0" }, {}, new Set())).toEqual([]);
    expect(violationsWith({ license: "(AFL-2.1 OR BSD-3-Clause)" })).toEqual([]);
    expect(violationsWith({ license: "(MIT AND GPL-3.0)" })).toHaveLength(1);
  });
});
