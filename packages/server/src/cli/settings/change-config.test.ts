import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { changeConfigFile } from "./change-config.ts";
import { readConfigFile } from "./config-file.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-change-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const file = (): string => path.join(folder, "holdfast.config.json");
const text = (): string => readFileSync(file(), "utf8");

describe("changing the config file", () => {
  it("creates the data folder and the file, and repeats nothing", () => {
    const data = path.join(folder, "new");
    const changes = { defaultProvider: "gemini", workspaceRoot: "/home/me" };
    const created = path.join(data, "holdfast.config.json");
    expect(changeConfigFile(data, changes)).toEqual({ file: created, isChanged: true });
    expect(readFileSync(created, "utf8")).toBe(
      '{\n  "defaultProvider": "gemini",\n  "workspaceRoot": "/home/me"\n}\n',
    );
    expect(changeConfigFile(data, changes)).toEqual({ file: created, isChanged: false });
    expect(readConfigFile(data)).toMatchObject(changes);
  });

  it("keeps the other settings, and the formatting", () => {
    writeFileSync(file(), '\uFEFF{\n\t"limits": { "queue":   7 },\n\t"defaultProvider": "demo"\n}');
    changeConfigFile(folder, { defaultProvider: "codex", workspaceRoot: undefined });
    expect(text()).toBe('\uFEFF{\n\t"limits": { "queue":   7 },\n\t"defaultProvider": "codex"\n}');
  });

  it("writes through a link", () => {
    const target = path.join(folder, "elsewhere.json");
    writeFileSync(target, "{}");
    symlinkSync(target, file());
    changeConfigFile(folder, { defaultProvider: "codex" });
    expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({ defaultProvider: "codex" });
  });

  it("refuses an invalid file and an unknown provider, and changes nothing", () => {
    writeFileSync(file(), '{\n"sandbx": "off"}');
    expect(() => changeConfigFile(folder, { defaultProvider: "codex" })).toThrow(
      'line 2: sandbx: there is no such setting; did you mean "sandbox"?',
    );
    writeFileSync(file(), "{}");
    expect(() => changeConfigFile(folder, { defaultProvider: "codx" })).toThrow(
      'defaultProvider: there is no such provider; did you mean "codex"?',
    );
    expect(text()).toBe("{}");
  });
});
