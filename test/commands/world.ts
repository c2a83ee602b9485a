import { mkdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  newRepository as newGitRepository,
  userGit,
} from "../../packages/server/src/git/testing/new-repository.ts";
import {
  ask,
  fail,
  say,
  script,
  shell,
} from "../../packages/server/src/providers/testing/script.ts";
import {
  SCRIPTED_VARIABLE,
  type ScriptedAuth,
} from "../../packages/server/src/providers/testing/scripted-options.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type ProcessResult,
} from "../e2e/holdfast-process.ts";

/** A data folder with sessions for the rows of the table, with or without a server. */
export interface World {
  run(words: readonly string[], stdin?: string): Promise<ProcessResult>;
  /** A value for a placeholder; each use of `{session}` and its like is a new session. */
  value(name: string): Promise<string>;
  close(): Promise<void>;
}

const WORK = script(shell("echo work > new.txt"), say("Done."));

/** It can log in and out. */
const LOCKED: ScriptedAuth = {
  methods: [
    { id: "device", name: "Device code" },
    { id: "terminal", name: "Terminal", type: "terminal", args: ["--login"] },
    { id: "key", name: "Key", vars: [{ name: "LOCKED_KEY" }] },
  ],
  accepts: "device",
  file: path.join(tmpdir(), `holdfast-locked-${randomUUID()}`),
  reportsStatus: true,
};

export async function openWorld({ withServer }: { readonly withServer: boolean }): Promise<World> {
  const remote = path.join(tmpdir(), `holdfast-remote-${randomUUID()}.git`);
  const { folder, data, root } = prepareFolder({
    providers: {
      scripted: { type: "acp", command: scriptedCommand },
      locked: {
        type: "acp",
        title: "Locked agent",
        command: scriptedCommand,
        env: { [SCRIPTED_VARIABLE]: JSON.stringify({ auth: LOCKED }) },
      },
      steerable: {
        type: "acp",
        command: scriptedCommand,
        env: { [SCRIPTED_VARIABLE]: JSON.stringify({ capabilities: { steering: true } }) },
      },
    },
    defaultProvider: "scripted",
    worktrees: { remote: `file://${remote}`, pullRequest: "echo https://example.com/pull/7" },
  });
  mkdirSync(remote);
  userGit(remote, "init", "--quiet", "--bare");
  const env = {
    AGENT_WORKSPACE_ROOT: root,
    HOLDFAST_DATA: data,
    HOME: folder,
    XDG_CONFIG_HOME: path.join(folder, "config"),
  };
  const run: World["run"] = (words, stdin) => holdfast(words, env, stdin, folder);
  const succeed = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(words);
    if (code !== 0) throw new Error(`holdfast ${words.join(" ")}: ${code} ${stderr}`);
    return stdout.trim();
  };
  await succeed("create");
  const server = withServer
    ? await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root } })
    : null;
  const conversation = (...more: readonly string[]): Promise<string> =>
    succeed("create", "--repo", root, ...more);
  const waiting = async (...more: readonly string[]): Promise<string> => {
    const id = await conversation(...more);
    await run(["send", id, script(ask({ id: "delete", title: "Delete it?" }))]);
    return id;
  };
  let files = 0;
  const newPath = (): string => path.join(folder, `file-${(files += 1)}`);
  const written = (text: string): string => {
    const file = newPath();
    writeFileSync(file, text);
    return file;
  };

  const newRepository = (): string => {
    const repository = path.join(root, path.basename(newPath()));
    mkdirSync(path.join(repository, ".git"), { recursive: true });
    return repository;
  };

  /** A repository with a commit and another branch. */
  const gitRepository = (): string => {
    const repository = path.join(root, path.basename(newPath()));
    newGitRepository(repository, { "a.txt": "a\n" });
    userGit(repository, "branch", "other");
    userGit(repository, "config", "user.name", "Ada");
    userGit(repository, "config", "user.email", "ada@example.com");
    return repository;
  };

  /** A session with a worktree in which an agent has made a file. */
  const worked = async (): Promise<string> => {
    const id = await succeed("create", "--repo", gitRepository(), "--worktree");
    await succeed("send", id, WORK);
    return id;
  };

  const VALUES: Readonly<Record<string, () => Promise<string> | string>> = {
    root: () => root,
    data: () => data,
    url: () => server?.url ?? "",
    /** `127.0.0.1:PORT` */
    address: () => new URL(server?.url ?? "").host,
    newFile: newPath,
    noFolder: () => path.join(newPath(), "missing", "file"),
    repository: newRepository,
    repo: async () => succeed("repos", "add", newRepository()),
    session: () => succeed("create", "--agent", "tester"),
    conversation: () => conversation(),
    archived: async () => {
      const id = await succeed("create");
      await succeed("archive", id);
      return id;
    },
    finalized: async () => {
      const id = await succeed("create");
      await succeed("finalize", id, "completed");
      return id;
    },
    resumable: async () => {
      const id = await succeed("create");
      await succeed("update", id, "--phase", "approval");
      return id;
    },
    /** A session whose agent waits for an answer. */
    waiting: () => waiting(),
    /** The same, with an agent that takes messages meanwhile. */
    steerable: () => waiting("--provider", "steerable"),
    /** The data folder, with an open question. */
    dataWithQuestion: async () => {
      await waiting();
      return data;
    },
    /** A copy of the database. */
    copy: async () => {
      const file = newPath();
      await succeed("db", "backup", file);
      return file;
    },
    answer: () => script(say("Here I am.")),
    failure: () => script(fail({ code: -32_603, message: "It broke." })),
    question: () => script(ask({ id: "delete", title: "Delete it?" })),
    token: async () => {
      const { id } = JSON.parse(
        await succeed("token", "create", "--name", "t", "--scope", "read", "--json"),
      );
      return id;
    },
    node: async () => {
      const { nodes } = JSON.parse(await succeed("nodes", "--json"));
      return nodes[0].id;
    },
    bundle: async () => {
      const id = await succeed("create");
      const { stdout } = await run(["export", id]);
      await succeed("delete", id, "--yes");
      return written(stdout);
    },
    notBundle: () => written("no bundle"),
    states: async () => {
      const target = newPath();
      await succeed("create", "--agent", "exported");
      await succeed("export", "--format", "gaia", "--to", target);
      return target;
    },
    removed: async () => {
      await conversation();
      await succeed("cleanup", "--hours", "0", "--conversations", "--yes");
      const { removed } = JSON.parse(await succeed("removed", "--json"));
      return removed[0].id;
    },
    gitRepository,
    work: () => WORK,
    worked,
    committed: async () => {
      const id = await worked();
      await succeed("commit", id);
      return id;
    },
    long: () => "x".repeat(400),
  };

  return {
    run,
    value: async (name) => {
      const value = VALUES[name];
      if (value === undefined) throw new Error(`the world has no value ${name}`);
      return value();
    },
    close: async () => {
      await server?.end("SIGTERM");
      removeFolder(folder);
      removeFolder(remote);
    },
  };
}
