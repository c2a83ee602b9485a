import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Looks } from "./load-program.ts";

const LOADER = path.join(import.meta.dirname, "load-program.ts");
const LONG_AGO = new Date("2020-01-01");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-compiled-"));
  write({
    "main.js": 'exports.main = (work) => require("./work-AAAAAAAA.js").work(work);',
    "work-AAAAAAAA.js": `
      const { basename } = require("node:path");
      exports.name = () => basename(__dirname) + " " + basename(__filename);
      const add = (count) => { let sum = 0; for (let at = 0; at < count; at += 1) sum += at * at; return sum; };
      exports.work = (work) => work ? "worked " + add(5) + " " + require("./more-BBBBBBBB.js").more() : "rested";
    `,
    "more-BBBBBBBB.js": 'exports.more = () => "in " + require("./work-AAAAAAAA.js").name();',
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the loader of the program", () => {
  it("keeps the code of the functions that have run, and of each command", () => {
    expect(run({ work: false })).toBe("rested");
    const afterRest = codeFile().bytes;
    expect(run()).toBe("worked 30 in program work-AAAAAAAA.js");
    expect(codeFile().names).toEqual(["work-AAAAAAAA.js", "more-BBBBBBBB.js"]);
    expect(codeFile().bytes).toBeGreaterThan(afterRest + 500);
    expect(codeFile().mode).toBe(0o600);
    run({ command: "get" });
    expect(codeFiles().map((file) => path.basename(file))).toEqual([
      "holdfast-get.code",
      "holdfast-serve.code",
    ]);
  });

  it("takes the code of an earlier run, and writes none if it has all", () => {
    run();
    const { file } = codeFile();
    utimesSync(file, LONG_AGO, LONG_AGO);
    expect(run()).toBe("worked 30 in program work-AAAAAAAA.js");
    expect(run({ work: false })).toBe("rested");
    expect(statSync(file).mtime).toEqual(LONG_AGO);
  });

  it.each([
    ["is empty", () => Buffer.alloc(0)],
    ["is a text", () => Buffer.from("not the code of a program")],
    ["is cut off", (code: Buffer) => code.subarray(0, code.length - 1_000)],
    [
      "has a wrong byte in each part",
      (code: Buffer) => code.map((byte, at) => (at > 200 ? byte ^ 1 : byte)),
    ],
    ["is of another V8", () => packed({ "work-AAAAAAAA.js": 64, "more-BBBBBBBB.js": 0 })],
    ["has no lengths", () => packed({ "work-AAAAAAAA.js": "long" })],
  ])("compiles the program, and writes its code again, if the file %s", (_, damage) => {
    run();
    const { file, bytes } = codeFile();
    writeFileSync(file, damage(readFileSync(file)));
    expect(run()).toBe("worked 30 in program work-AAAAAAAA.js");
    expect(codeFile().bytes).toBe(bytes);
  });

  it("takes no code of a file that was built anew, and forgets what another build has", () => {
    run();
    write({
      "main.js": 'exports.main = () => require("./work-CCCCCCCC.js").work();',
      "work-CCCCCCCC.js": 'exports.work = () => "built anew";',
    });
    rmSync(path.join(folder, "program", "work-AAAAAAAA.js"));
    expect(run()).toBe("built anew");
    expect(codeFile().names).toEqual(["more-BBBBBBBB.js", "work-CCCCCCCC.js"]);
  });

  it("fails as often as a file fails while it is loaded", () => {
    write({
      "main.js": `
        const attempt = () => { try { return require("./work-DDDDDDDD.js"); } catch ({ message }) { return message; } };
        exports.main = () => attempt() + ", " + attempt();
      `,
      "work-DDDDDDDD.js": 'exports.half = true; throw new Error("broken");',
    });
    expect(run()).toBe("broken, broken");
  });

  it("writes no file for a command that nobody knows, or that cannot be the name of a file", () => {
    write({
      "main.js": 'exports.main = () => { process.exitCode = 64; return "no such command"; };',
    });
    expect(run({ command: "gte" })).toBe("no such command");
    for (const command of ["", "../serve", "a b", "x".repeat(50)]) run({ command, work: false });
    expect(codeFiles()).toEqual([]);
  });

  it("loads the program without any file, if Node is told to keep none, or if none can be written", () => {
    const worked = "worked 30 in program work-AAAAAAAA.js";
    expect(run({ env: { NODE_DISABLE_COMPILE_CACHE: "1" } })).toBe(worked);
    expect(codeFiles()).toEqual([]);
    run();
    const { file } = codeFile();
    rmSync(file);
    mkdirSync(path.join(file, "in-the-way"), { recursive: true });
    expect(run()).toBe(worked);
  });

  it("keeps code of each version of Node and each user in its own folder, also where Node keeps it by itself", () => {
    run({ env: { NODE_COMPILE_CACHE: undefined, TMPDIR: folder } });
    expect(
      globSync(path.join(folder, "node-compile-cache", "v*", "*.code")).map((file) =>
        path.basename(file),
      ),
    ).toEqual(["holdfast-serve.code"]);
  });

  it("neither reads nor writes code where another user may put files", () => {
    run();
    const { file } = codeFile();
    const cache = path.dirname(path.dirname(file));
    const unread = packed({ "work-AAAAAAAA.js": 512 });
    for (const open of [cache, path.dirname(file)]) {
      writeFileSync(file, unread);
      chmodSync(open, 0o777);
      expect(run()).toBe("worked 30 in program work-AAAAAAAA.js");
      // Code that is read and refused is written anew.
      expect(readFileSync(file)).toEqual(unread);
      chmodSync(open, 0o755);
    }
    run();
    expect(readFileSync(file)).not.toEqual(unread);
  });

  it("saves the code of a process that goes on, and is killed", { timeout: 60_000 }, async () => {
    write({
      "main.js": `
      exports.main = () => { setInterval(() => {}, 1_000); return require("./work-AAAAAAAA.js").work(true); };
    `,
    });
    await whileRunning({}, () => untilSaved(({ names }) => names.length === 2));
  });

  it("saves at last what a start and the first work need, although V8 has collected garbage since", async () => {
    write({
      "main.js": `
      const fill = () => { exports.filled = Array.from({ length: 200 }, () => new Array(10_000).fill(0)); };
      exports.main = () => { setInterval(fill, 1); return require("./work-AAAAAAAA.js").work(true); };
    `,
    });
    await whileRunning({ looks: { everyMs: 200, lastMs: 4_000 } }, async () => {
      const first = await untilSaved(({ names }) => names.length === 2);
      const last = await untilSaved(({ changedMs }) => changedMs > first.changedMs + 1_000);
      expect(last.bytes).toBe(first.bytes);
    });
  });
});

/** Kills the process afterwards. */
async function whileRunning(options: Run, look: () => Promise<unknown>): Promise<void> {
  const [program, words] = commandOf(options);
  const child = spawn(program, words, { env: environment({}), stdio: "ignore" });
  try {
    await look();
  } finally {
    child.kill("SIGKILL");
  }
}

function untilSaved(isExpected: (file: CodeFile) => boolean): Promise<CodeFile> {
  return vi.waitFor(
    () => {
      const file = codeFile();
      expect(isExpected(file)).toBe(true);
      return file;
    },
    { timeout: 50_000, interval: 100 },
  );
}

interface Run {
  readonly command?: string;
  readonly looks?: Looks;
  readonly work?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

function commandOf({
  command = "serve",
  work = true,
  looks,
}: Run): readonly [string, readonly string[]] {
  const main = path.join(folder, "program", "main.js");
  const script = `
    const { loadProgram } = await import(${JSON.stringify(LOADER)});
    console.log(loadProgram(${JSON.stringify(main)}, ${JSON.stringify(command)}, ${JSON.stringify(looks)}).main(${work}));
  `;
  return [process.execPath, ["--input-type=module", "--eval", script]];
}

function environment({ env = {} }: Run): NodeJS.ProcessEnv {
  return { ...process.env, NODE_COMPILE_CACHE: path.join(folder, "cache"), ...env };
}

function run(options: Run = {}): string {
  const [program, words] = commandOf(options);
  const { stdout, stderr } = spawnSync(program, words, {
    env: environment(options),
    encoding: "utf8",
  });
  expect(stderr.replace(/.*ExperimentalWarning[\s\S]*/u, "")).toBe("");
  return stdout.trim();
}

function write(files: Readonly<Record<string, string>>): void {
  mkdirSync(path.join(folder, "program"), { recursive: true });
  writeFileSync(path.join(folder, "program", "package.json"), '{ "type": "commonjs" }');
  for (const [name, text] of Object.entries(files))
    writeFileSync(path.join(folder, "program", name), text);
}

function codeFiles(): readonly string[] {
  return globSync(path.join(folder, "cache", "*", "holdfast-*")).toSorted();
}

type CodeFile = ReturnType<typeof codeFile>;

function codeFile() {
  const [file = ""] = codeFiles();
  const bytes = readFileSync(file);
  const [, headerBytes] = bytes.toString("latin1", 0, 32).split(" ");
  const header: object = JSON.parse(bytes.toString("latin1", 32, 32 + Number(headerBytes)));
  return {
    file,
    bytes: bytes.length,
    names: Object.keys(header),
    mode: statSync(file).mode & 0o777,
    changedMs: statSync(file).mtimeMs,
  };
}

/** A file with the right checksum. */
function packed(lengths: object): Buffer {
  const header = JSON.stringify(lengths);
  const content = Buffer.concat([Buffer.from(header), Buffer.alloc(512)]);
  return Buffer.concat([Buffer.from(`${crc32(content)} ${header.length} `.padEnd(32)), content]);
}
