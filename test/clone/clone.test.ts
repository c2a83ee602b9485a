import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { need, needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { root } from "../architecture/read-sources.ts";

const MB = 1_000_000;
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const INSTALLS_OR_BUILDS = /^Installing|^Building/mu;

let folder = "";
let clone = "";

beforeAll(() => {
  needProgram("git");
  needProgram("npm");
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-clone-"));
  clone = path.join(folder, "clone");
  for (const file of sourceFiles()) cpSync(path.join(root, file), path.join(clone, file));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("in a fresh clone", () => {
  it("npm start shows what it does, serves the page, and leaves only Node and the program", async () => {
    const { output, url, stop } = await start();
    try {
      expect(output).toMatch(/Installing packages: done, .*\d+ s\n/u);
      expect(output).toMatch(/Building the program and its page: done, \d+ s\n/u);
      expect((await fetch(url)).status).toBe(200);
    } finally {
      await stop();
    }
    expect(readdirSync(path.join(clone, "node_modules"))).toEqual([NODE_PACKAGE]);
    // Deleted in the background.
    await expect.poll(() => existsSync(path.join(clone, ".cache/removed"))).toBe(false);
    expect(bytesIn(clone)).toBeLessThan(250 * MB);
  });

  it("a second command neither installs nor builds", async () => {
    const { stdout, stderr } = await run(["run", "--silent", "holdfast", "--", "--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/u);
    expect(stderr).not.toMatch(INSTALLS_OR_BUILDS);
  });

  // Only in long runs: it installs all packages.
  it.each(repeat({ short: [], long: ["sbom"] }))(
    "a changed source brings the packages back, which stay; npm run %s installs the tools as well",
    async (script) => {
      const now = new Date();
      utimesSync(path.join(clone, "packages/server/src/cli/main.ts"), now, now);
      const version = ["run", "--silent", "holdfast", "--", "--version"];
      expect((await run(version)).stderr).toMatch(/Installing packages: done(?:.|\n)*Building/u);
      expect(readdirSync(path.join(clone, "node_modules"))).toContain("vite");
      expect(readdirSync(path.join(clone, "node_modules"))).not.toContain("vitest");

      const tool = ["run", "--silent", script];
      expect((await run(tool)).stderr).toContain("Installing all packages: done");
      expect(readdirSync(path.join(clone, "node_modules"))).toContain("vitest");
      for (const command of [version, tool, version])
        expect((await run(command)).stderr).not.toMatch(INSTALLS_OR_BUILDS);
    },
  );
});

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function spawnNpm(args: readonly string[]) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        name === "npm_config_cache" ||
        !/^(?:npm_|INIT_CWD|VITEST|NODE_|HOLDFAST_|AGENT_)/u.test(name),
    ),
  );
  return spawn("npm", [...args], {
    cwd: clone,
    // The packages come from npm's cache, which the installation of this repository has filled.
    env: { ...env, npm_config_offline: "true", HOLDFAST_DATA: path.join(folder, "data") },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(args: readonly string[]): Promise<Result> {
  const child = spawnNpm(args);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  needCache(stderr);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return { code, stdout, stderr };
}

/** Skips the test if npm could not install, because it was told to use no network. */
function needCache(output: string): void {
  need(output.includes("ENOTCACHED") ? "npm's cache does not contain all packages" : null);
}

async function start() {
  const child = spawnNpm(["start", "--", "--port", "0"]);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      if (output.includes("Stop ")) resolve();
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    void ended.then(() => reject(new Error(output)));
  }).catch((error: Error) => {
    needCache(error.message);
    throw error;
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGINT");
    await ended;
  };
  return { output, url: /http:\/\/127\.0\.0\.1:\d+/u.exec(output)?.[0] ?? "", stop };
}

/** All files that a commit of everything would contain. */
function sourceFiles(): readonly string[] {
  return execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\0")
    .filter(
      (file) => file !== "" && statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile(),
    );
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size)
    .reduce((sum, size) => sum + size, 0);
}
