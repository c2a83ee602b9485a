import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { need } from "../../../domain/testing/machine.ts";
import type { Agent } from "../../provider.ts";
import { openAgentRig, promptOf, type AgentRig, type RigOptions } from "../../testing/agent-rig.ts";
import { shell } from "../../testing/script.ts";
import { openSandbox, type Sandbox, type SandboxOptions } from "../sandbox.ts";

/** A small machine: a home, a data folder and two repositories, each with a file to find. */
export interface SandboxWorld {
  readonly folder: string;
  readonly home: string;
  readonly data: string;
  readonly root: string;
  /** The repository of the agents. */
  readonly repo: string;
  readonly otherRepo: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  start(options?: RigOptions): Promise<{ readonly rig: AgentRig; readonly agent: Agent }>;
  /** The output of these commands, run by a new agent. */
  run(command: string, options?: RigOptions): Promise<string>;
}

export const SECRET = "secret-that-must-not-be-seen";

export async function needSandbox(): Promise<void> {
  const { state } = await openSandbox({
    mode: "auto",
    environment: process.env,
    dataFolder: path.join(tmpdir(), randomUUID()),
  });
  need(state.reason);
}

export async function openSandboxWorld(
  options: Pick<SandboxOptions, "findUserNetwork"> = {},
): Promise<SandboxWorld> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-sandbox-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, data, root] = ["home", "data", "root"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  const [repo, otherRepo] = [path.join(root, "repo"), path.join(root, "other")];
  for (const one of [path.join(home, ".ssh"), data, path.join(otherRepo, ".git")])
    mkdirSync(one, { recursive: true });
  mkdirSync(path.join(repo, ".git"), { recursive: true });
  for (const file of [
    path.join(home, ".ssh", "id"),
    path.join(home, "notes"),
    path.join(data, "holdfast.db"),
    path.join(otherRepo, "code"),
    path.join(folder, "beside"),
  ])
    writeFileSync(file, SECRET);
  writeFileSync(path.join(home, ".gitconfig"), "[user]\n\tname = Somebody\n");
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: folder,
    HOLDFAST_TOKEN: SECRET,
  };
  const sandbox = await openSandbox({
    mode: "required",
    environment,
    dataFolder: data,
    hidden: [root],
    ...options,
  });
  const start: SandboxWorld["start"] = async (options = {}) => {
    const rig = openAgentRig({
      log: null,
      folder: null,
      ...options,
      provider: { sandbox, environment, ...options.provider },
    });
    const descriptor = openSync(repo, constants.O_RDONLY | constants.O_DIRECTORY);
    onTestFinished(() => closeSync(descriptor));
    return { rig, agent: await rig.start({ workspace: { path: repo, descriptor } }) };
  };
  return {
    folder,
    home,
    data,
    root,
    repo,
    otherRepo,
    environment,
    sandbox,
    start,
    run: async (command, options) => {
      const { rig, agent } = await start(options);
      await agent.prompt(promptOf(shell(command)));
      await agent.stop();
      return rig.text();
    },
  };
}

/** A command that leaves a hidden process behind, and a way to find it. */
export function leavesBehind(): {
  readonly command: string;
  readonly pids: () => readonly number[];
  readonly untilThere: () => Promise<void>;
} {
  const seconds = `${600 + Math.random()}`;
  const sleeper = `env -i setsid sh -c 'trap "" TERM HUP; sleep ${seconds} & sleep ${seconds} & wait'`;
  const pids = (): readonly number[] => processesWith(seconds);
  onTestFinished(() => {
    for (const pid of pids()) process.kill(pid, "SIGKILL");
  });
  return {
    command: `(${sleeper} </dev/null >/dev/null 2>&1 &) &`,
    pids,
    untilThere: async () => {
      await expect.poll(() => pids().length).toBeGreaterThan(2);
    },
  };
}

/** Includes processes whose environment cannot be read. */
function processesWith(word: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
      } catch {
        return false;
      }
    });
}
