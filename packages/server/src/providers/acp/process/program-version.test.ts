import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { programVersion } from "./program-version.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-version-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A package as npm installs it globally, with a link to its program. */
function install(manifest: string): string {
  const home = path.join(folder, "lib/node_modules/@maker/agent");
  mkdirSync(path.join(home, "dist/bin"), { recursive: true });
  mkdirSync(path.join(folder, "bin"));
  writeFileSync(path.join(home, "package.json"), manifest);
  writeFileSync(path.join(home, "dist/bin/agent.js"), "");
  symlinkSync(path.join(home, "dist/bin/agent.js"), path.join(folder, "bin/agent"));
  return path.join(folder, "bin/agent");
}

describe("the version of a program", () => {
  it("is that of the npm package behind its link", () => {
    expect(programVersion(install('{"name": "@maker/agent", "version": "1.2.3"}'))).toBe("1.2.3");
  });

  it.each(["{", "{}", '{"version": 7}'])("is unknown with the package.json %s", (manifest) => {
    expect(programVersion(install(manifest))).toBeNull();
  });

  it("is unknown for a program that npm did not install, or that is missing", () => {
    writeFileSync(path.join(folder, "package.json"), '{"version": "9.9.9"}');
    writeFileSync(path.join(folder, "agent"), "");
    expect(programVersion(path.join(folder, "agent"))).toBeNull();
    expect(programVersion(path.join(folder, "gone"))).toBeNull();
  });
});
