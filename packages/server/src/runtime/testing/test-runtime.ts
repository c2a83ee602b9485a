import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { calmDeadline } from "../../domain/testing/calm-clock.ts";
import type { PermissionPolicy } from "../../domain/policy/permission-policy.ts";
import { RESUME_POLICY, type ResumePolicy } from "../../domain/should-resume.ts";
import { createCatalog, type CatalogOptions } from "../../providers/catalog.ts";
import { findMarked } from "../../providers/acp/process/process-sweep.ts";
import {
  scriptedDefinition,
  type ScriptedDefinition,
} from "../../providers/testing/scripted-provider.ts";
import { createFolderGit } from "../../git/folder-git.ts";
import { newRepository } from "../../git/testing/new-repository.ts";
import { testKeep, testWorktrees } from "../folders/testing/test-worktrees.ts";
import type { FolderSettings } from "../folders/folder-settings.ts";
import { openStore, type DatabaseLocation } from "../../storage/open-store.ts";
import {
  openTestStore,
  PATIENT,
  type Engine,
  type TestStore,
} from "../../storage/testing/test-database.ts";
import type { Store } from "../../storage/store.ts";
import { MEMBER, type ClusterMember } from "../cluster/cluster-member.ts";
import { LIMITS, type Limits, type RuntimeContext } from "../context.ts";
import { openRuntime, type OpenRuntime } from "../open-runtime.ts";
import { createRepositories } from "../repositories/repositories.ts";
import type { CreateSession, Runtime, SendMessage, Sent, WholeSession } from "../runtime.ts";
import type { Reply } from "../reply.ts";
import { openWorkspaceRoot } from "../repositories/workspace-root.ts";

export interface TestRuntimeOptions {
  readonly engine?: Engine;
  /** Replaces an empty database; closed with the runtime. */
  readonly database?: TestStore;
  readonly limits?: Partial<Limits>;
  readonly permissions?: PermissionPolicy;
  readonly resumePolicy?: ResumePolicy;
  readonly member?: Partial<ClusterMember>;
  readonly continueInterrupted?: number;
  readonly failpoint?: RuntimeContext["failpoint"];
  /** The providers, each running the scripted agent; the first is the default. */
  readonly agents?: readonly ScriptedDefinition[];
  /** Another default than the first. */
  readonly defaultProvider?: string;
  readonly models?: NonNullable<CatalogOptions["models"]>;
  readonly mcpVariables?: readonly string[];
  readonly environment?: CatalogOptions["environment"];
  readonly toolsFor?: NonNullable<CatalogOptions["toolsFor"]>;
  readonly times?: NonNullable<CatalogOptions["times"]>;
  /** Takes snapshots of the files. The repository is a real one, with these files. */
  readonly files?: Readonly<Record<string, string>>;
  /** Sessions can have worktrees. */
  readonly worktrees?: Partial<FolderSettings>;
}

/** The limit of promise P5. */
const GONE_WITHIN_MS = 5_000;

/** A runtime on a real database, with real agent processes and a real folder. */
export class TestRuntime {
  #options: TestRuntimeOptions;
  readonly #database: TestStore;
  readonly #owner = `test-${randomUUID()}`;
  /** The folder of all files; agents may write to it. */
  readonly folder: string;
  readonly repoPath: string;
  readonly logged: { readonly level: string; readonly fields: unknown; readonly text: string }[] =
    [];
  repoId = "";
  /** Number of completed recovery rounds since the start. */
  recoveries = 0;
  store: Store;
  #open: OpenRuntime | null = null;
  #node = "";

  private constructor(options: TestRuntimeOptions, database: TestStore, folder?: string) {
    this.#options = options;
    this.#database = database;
    this.store = database.store;
    this.folder = folder ?? realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-runtime-")));
    this.repoPath = path.join(this.folder, "root", "repo");
    if (options.files === undefined)
      mkdirSync(path.join(this.repoPath, ".git"), { recursive: true });
    else if (folder === undefined) newRepository(this.repoPath, options.files);
  }

  static async open(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
    const database = options.database ?? (await openTestStore(options.engine ?? "sqlite"));
    const test = new TestRuntime(options, database);
    await test.start();
    const added = ok(await test.runtime.addRepo({ path: test.repoPath, name: null }));
    test.repoId = added.repo.id;
    return test;
  }

  /** Another node on the same database and folders, maybe by another location. Close it before this one. */
  async addNode(
    options: TestRuntimeOptions = {},
    location: DatabaseLocation = this.#database.location,
  ): Promise<TestRuntime> {
    const store = await openStore(location, { clock: Date.now, ...PATIENT });
    const database = { store, location, close: () => store.close() };
    const other = new TestRuntime({ ...this.#options, ...options }, database, this.folder);
    other.repoId = this.repoId;
    await other.start();
    return other;
  }

  get node(): string {
    return this.#node;
  }

  /** For another process on the same database. */
  get location(): DatabaseLocation {
    return this.#database.location;
  }

  get runtime(): Runtime {
    if (this.#open === null) throw new Error("the runtime is stopped");
    return this.#open.runtime;
  }

  /** Restarts with other options. */
  async restartWith(options: Partial<TestRuntimeOptions>): Promise<void> {
    await this.stop();
    this.#options = { ...this.#options, ...options };
    await this.start();
  }

  async start({ formerNode = null }: { readonly formerNode?: string | null } = {}): Promise<void> {
    const definitions = (this.#options.agents ?? [{}]).map(scriptedDefinition);
    const journalFolder = path.join(this.folder, "journals");
    const [demo = scriptedDefinition(), ...others] = definitions;
    const catalog = createCatalog({
      demo,
      definitions: others,
      models: this.#options.models ?? [],
      defaultName: this.#options.defaultProvider ?? null,
      owner: this.#owner,
      environment: this.#options.environment ?? process.env,
      mcpVariables: this.#options.mcpVariables ?? [],
      journalFolder,
      clientVersion: "test",
      ...(this.#options.toolsFor !== undefined && { toolsFor: this.#options.toolsFor }),
      // Long enough for slow machines: a cancel must only time out if the agent ignores it.
      times: {
        cancelMs: 30_000,
        closeMs: 500,
        endMs: 500,
        termMs: 500,
        killMs: 60_000,
        ...this.#options.times,
      },
    });
    const root = await openWorkspaceRoot(path.join(this.folder, "root"), {
      onViolation: (violation) =>
        void this.logged.push({ level: "warn", fields: violation, text: "outside the root" }),
    });
    this.#node = randomUUID();
    this.recoveries = 0;
    this.#open = await openRuntime({
      store: this.store,
      node: this.#node,
      formerNode,
      catalog,
      repositories: createRepositories({
        store: this.store,
        root,
        newId: randomUUID,
        clock: Date.now,
      }),
      limits: { ...LIMITS, retryPauseMs: 20, ...this.#options.limits },
      permissions: this.#options.permissions ?? null,
      mcpVariables: this.#options.mcpVariables ?? [],
      resumePolicy: this.#options.resumePolicy ?? RESUME_POLICY,
      member: { ...MEMBER, ...this.#options.member },
      continueInterrupted: this.#options.continueInterrupted ?? 0,
      clock: Date.now,
      newId: randomUUID,
      log: {
        info: (fields, text) => void this.logged.push({ level: "info", fields, text }),
        warn: (fields, text) => void this.logged.push({ level: "warn", fields, text }),
        error: (fields, text) => void this.logged.push({ level: "error", fields, text }),
      },
      forgetSession: async () => {},
      ...(this.#options.worktrees !== undefined && {
        worktrees: testWorktrees(this.folder, this.#options.worktrees),
        keep: testKeep(this.folder, this.#options.worktrees),
      }),
      git:
        this.#options.files === undefined
          ? null
          : createFolderGit({
              dataFolder: path.join(this.folder, "git"),
              environment: process.env,
            }),
      failpoint: (name) => {
        if (name === "recovery.settled") this.recoveries += 1;
        this.#options.failpoint?.(name);
      },
    });
  }

  /** A graceful stop, as of a server, but with time for slow machines. */
  async stop(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.stop({ deadlineMs: 100_000 });
  }

  /** Stops the runtime, which writes the journals a little later, and reads all of them. */
  async journals(): Promise<string> {
    await this.stop();
    const folder = path.join(this.folder, "journals");
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
      .join("\n");
  }

  /** Simulates a crash: closes the store, kills the processes and starts another runtime. */
  async restartAfterCrash(): Promise<void> {
    const formerNode = this.#node;
    this.#open = null;
    await this.store.close();
    for (const pid of await this.processes()) killProcess(pid);
    this.store = await openStore(this.#database.location, { clock: Date.now, ...PATIENT });
    await this.start({ formerNode });
  }

  async close(): Promise<void> {
    await this.stop();
    await this.store.close();
    await this.#database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async createSession(more: Partial<CreateSession> = {}): Promise<string> {
    const created = ok(await this.runtime.createSession(this.newSession(more)));
    return created.session.id;
  }

  newSession(more: Partial<CreateSession> = {}): CreateSession {
    return {
      repoId: this.repoId,
      title: null,
      provider: null,
      model: null,
      agentName: null,
      purpose: null,
      agentId: null,
      metadata: {},
      message: null,
      idempotency: null,
      ...more,
    };
  }

  async send(sessionId: string, text: string, more: Partial<SendMessage> = {}): Promise<Sent> {
    return ok(await this.runtime.sendMessage(this.message(sessionId, text, more))).sent;
  }

  message(sessionId: string, text: string, more: Partial<SendMessage> = {}): SendMessage {
    return {
      sessionId,
      content: { type: "text", text },
      provider: null,
      model: null,
      delivery: "queue",
      continuity: "auto",
      idempotency: null,
      ...more,
    };
  }

  async read(sessionId: string): Promise<WholeSession> {
    return ok(await this.runtime.readWholeSession(sessionId));
  }

  /** Waits until the session meets the condition. */
  async until(
    sessionId: string,
    isSo: (whole: WholeSession) => boolean,
    { withinMs = 30_000 }: { readonly withinMs?: number } = {},
  ): Promise<WholeSession> {
    const isOver = calmDeadline(withinMs);
    for (;;) {
      const whole = await this.read(sessionId);
      if (isSo(whole)) return whole;
      if (isOver()) {
        throw new Error(`not so in time: ${JSON.stringify(whole, null, 1).slice(0, 4_000)}`);
      }
      await pause(5);
    }
  }

  /** Waits until the session is idle and its queue is empty. */
  idle(sessionId: string): Promise<WholeSession> {
    return this.until(sessionId, ({ session }) => session.state === "idle" && session.queued === 0);
  }

  /** The processes of all agents of this runtime. */
  processes(): Promise<readonly number[]> {
    return findMarked({ owner: this.#owner });
  }

  /** Kills all agents and waits until the runtime has noticed. */
  async killAgents(): Promise<void> {
    for (const pid of await this.processes()) killProcess(pid);
    await this.untilNoProcess();
    while ((await this.runtime.measure()).liveAgents > 0) await pause(5);
  }

  async untilNoProcess({
    withinMs = GONE_WITHIN_MS,
  }: { readonly withinMs?: number } = {}): Promise<void> {
    const isOver = calmDeadline(withinMs);
    while ((await this.processes()).length > 0) {
      if (isOver()) throw new Error("agent processes are left");
      await pause(20);
    }
  }
}

/** The process may have ended in the meantime. */
function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Throws if the reply is a refusal. */
export function ok<Value>(reply: Reply<Value>): { readonly ok: true } & Value {
  if (!reply.ok) throw new Error(`refused: ${reply.refusal.code}: ${reply.refusal.message}`);
  return reply;
}

/** The messages in short form: `user hello`, `agent echo: hello`, `tool read`, `system …`. */
export function transcript({ messages }: WholeSession): readonly string[] {
  return messages.map(({ role, content }) => {
    if (content.type === "text") return `${role} ${content["text"] as string}`;
    if (content.type === "tool")
      return `tool ${content["title"] as string} ${content["status"] as string}`;
    return `${content.type} ${JSON.stringify(content["text"] ?? content["steps"] ?? null)}`;
  });
}
