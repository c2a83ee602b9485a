import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openOwnGitFolder } from "../../git/own-git-folder.ts";
import { runProgram, type Output, type Program } from "../../git/program/run-program.ts";
import { takeSnapshot } from "../../git/snapshot/take-snapshot.ts";
import { openSandbox } from "./sandbox.ts";
import {
  leavesBehind,
  needSandbox,
  openSandboxWorld,
  SECRET,
  type SandboxWorld,
} from "./testing/sandbox-world.ts";

beforeAll(needSandbox);

type Folders = Partial<Pick<Program, "writes" | "reads" | "env">>;

/** Runs a script of the shell in the repository. It writes stderr to stdout. */
async function run(
  world: SandboxWorld,
  script: string,
  { writes = [world.repo], reads = [], env = {} }: Folders = {},
): Promise<Output> {
  const program = world.sandbox.encloseProgram({
    command: ["sh", "-c", `exec 2>&1; ${script}`],
    cwd: world.repo,
    env: { ...world.environment, ...env },
    writes,
    reads,
  });
  return runProgram(program);
}

const text = ({ stdout }: Output): string => stdout.toString("utf8");

describe("a short program in a sandbox", () => {
  it("D7: writes in the folders that it may write, and nowhere else", async () => {
    const world = await openSandboxWorld();
    const { repo, otherRepo, home, folder } = world;
    const outside = [
      path.join(home, "made"),
      path.join(otherRepo, "made"),
      path.join(folder, "made"),
      "/etc/made",
      "/usr/made",
      "/made",
    ];
    const script = ["made", ...outside].map((file) => `true > ${file}`).join("; ");
    await run(world, script, { reads: [otherRepo] });
    expect([
      existsSync(path.join(repo, "made")),
      outside.filter((file) => existsSync(file)),
    ]).toEqual([true, []]);
  });

  it("D7: sees the user's Git settings, and nothing else of the home or the data folder", async () => {
    const world = await openSandboxWorld();
    const { home, data, otherRepo } = world;
    const given = path.join(data, "git", "one");
    mkdirSync(given, { recursive: true });
    mkdirSync(path.join(data, "git", "two"));
    writeFileSync(path.join(data, "git", "two", "file"), SECRET);
    const output = await run(
      world,
      `git config user.name; ls -A ${home} ${data} ${data}/git; cat ${otherRepo}/code; grep -r ${SECRET} ${data} ${home}`,
      { writes: [world.repo, given] },
    );
    expect(text(output)).toContain("Somebody\n");
    expect(text(output)).toContain(`${home}:\n.gitconfig\n`);
    expect(text(output)).toContain(`${data}/git:\none\n`);
    expect(text(output)).not.toContain(SECRET);
  });

  it("D7: reads a folder inside a hidden one, and writes a folder inside one that it only reads", async () => {
    const world = await openSandboxWorld();
    const { repo } = world;
    const output = await run(world, "true > .git/made; true > made || echo refused", {
      writes: [path.join(repo, ".git")],
      reads: [repo],
    });
    expect(text(output)).toContain("refused");
    expect([
      existsSync(path.join(repo, ".git", "made")),
      existsSync(path.join(repo, "made")),
    ]).toEqual([true, false]);
  });

  it("D7: may have its home in a folder that it writes", async () => {
    const world = await openSandboxWorld();
    await run(world, 'echo kept > "$HOME/made"', { env: { HOME: world.repo } });
    expect(readFileSync(path.join(world.repo, "made"), "utf8")).toBe("kept\n");
  });

  it("D7: reaches no network", async () => {
    const world = await openSandboxWorld();
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.end();
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const connect = `require("node:net").connect(${port}, "127.0.0.1").on("error", ({ code }) => console.log(code))`;
    const script = `${process.execPath} -e '${connect}'; cat /proc/net/dev | grep -c :`;
    const reads = [path.dirname(process.execPath)];
    expect([text(await run(world, script, { reads })), connections]).toEqual([
      "ECONNREFUSED\n1\n",
      0,
    ]);
  });

  it("D7: passes on its input, its output and its exit code", async () => {
    const world = await openSandboxWorld();
    const program = world.sandbox.encloseProgram({
      command: ["sh", "-c", "cat; echo wrong >&2; pwd; exit 7"],
      cwd: world.repo,
      env: world.environment,
      writes: [],
      reads: [world.repo],
    });
    const { code, stdout, stderr } = await runProgram(program, { input: "given\n" });
    expect([code, stdout.toString("utf8"), stderr]).toEqual([
      7,
      `given\n${world.repo}\n`,
      "wrong\n",
    ]);
  });

  it("D7: leaves no process behind, neither when it exits nor when it is ended", async () => {
    const world = await openSandboxWorld();
    const left = leavesBehind();
    expect((await run(world, `${left.command} sleep 0.1`)).code).toBe(0);
    await expect.poll(() => left.pids()).toEqual([]);
    const stop = new AbortController();
    const program = world.sandbox.encloseProgram({
      command: ["sh", "-c", `${left.command} sleep 600`],
      cwd: world.repo,
      env: world.environment,
      writes: [world.repo],
    });
    const ending = runProgram(program, { signal: stop.signal });
    await left.untilThere();
    stop.abort();
    expect((await ending).ended).toBe("aborted");
    await expect.poll(() => left.pids()).toEqual([]);
  });

  it("D7: does not start if a link has taken the place of one of its folders", async () => {
    const world = await openSandboxWorld();
    const { repo, home } = world;
    await run(world, "true");
    renameSync(repo, `${repo}-moved`);
    symlinkSync(home, repo);
    await expect(run(world, "true")).rejects.toThrow(
      `The folder ${repo} is reached through a link.`,
    );
    rmSync(repo);
    await expect(run(world, "true")).rejects.toThrow(`The folder ${repo} does not exist any more.`);
  });

  it("D7: does not follow links of a repository that are in the search path", async () => {
    const world = await openSandboxWorld();
    symlinkSync(path.join(world.home, ".ssh"), path.join(world.repo, "bin"));
    const env = { PATH: `${world.repo}/bin:${world.environment["PATH"] ?? ""}` };
    const output = await run(world, "cat bin/id", { env });
    expect(text(output)).toContain("No such file");
  });

  it("D7: takes snapshots of a repository", async () => {
    const { data, folder, environment, sandbox } = await openSandboxWorld();
    const repo = path.join(folder, "root", "real");
    execFileSync("git", ["init", "--quiet", repo]);
    writeFileSync(path.join(repo, "file"), "text\n");
    const own = await openOwnGitFolder(repo, {
      dataFolder: path.join(data, "git"),
      environment,
      enclose: sandbox.encloseProgram,
    });
    const { tree } = await takeSnapshot(own, { tree: null });
    const { stdout } = await own.git(["cat-file", "-p", `${tree}:file`]);
    expect(stdout.toString("utf8")).toBe("text\n");
  });
});

describe("a short program without a sandbox", () => {
  it("D7: starts as it is, unless it runs code of the repository and a sandbox is required", async () => {
    const program: Program = { command: ["true"], cwd: "/", env: {}, writes: [] };
    const options = {
      environment: { PATH: "/nowhere" },
      dataFolder: "/data",
      platform: "linux",
    } as const;
    const auto = await openSandbox({ ...options, mode: "auto", containments: ["marker"] });
    const required = await openSandbox({ ...options, mode: "required" });
    const hook = { ...program, runsCodeOfRepository: true };
    expect([
      auto.encloseProgram(program),
      auto.encloseProgram(hook),
      required.encloseProgram(program),
    ]).toEqual([program, hook, program]);
    expect(() => required.encloseProgram(hook)).toThrow(
      "Programs of a repository may run only in a sandbox, and no sandbox is available.",
    );
  });
});
