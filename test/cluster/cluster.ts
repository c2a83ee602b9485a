import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import {
  startPostgresServer,
  type PostgresServer,
} from "../../packages/server/src/storage/testing/postgres-server.ts";
import { markedProcesses } from "../e2e/marked-processes.ts";
import { readAccounts, type Sighting } from "./account.ts";
import { ClusterNode } from "./cluster-node.ts";
import { beginFault, createHistory, type History } from "./history.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";

export interface ClusterOptions {
  readonly nodes?: number;
  readonly leaseMs: number;
  /** Additional settings of the nodes, which may depend on the URL of the database. */
  readonly env?: (databaseUrl: string) => Promise<Readonly<Record<string, string>>>;
}

/** A real PostgreSQL server and real Holdfast servers, each connected through a proxy that can fail. */
export class Cluster {
  readonly nodes: readonly ClusterNode[];
  /** The database without a proxy. */
  readonly databaseUrl: string;
  readonly history: History;
  readonly #postgres: PostgresServer;
  readonly #folder: string;
  #repos = 0;

  private constructor(options: {
    readonly nodes: readonly ClusterNode[];
    readonly postgres: PostgresServer;
    readonly history: History;
    readonly folder: string;
  }) {
    this.nodes = options.nodes;
    this.databaseUrl = options.postgres.url;
    this.history = options.history;
    this.#postgres = options.postgres;
    this.#folder = options.folder;
  }

  static async open({ nodes = 3, leaseMs, env }: ClusterOptions): Promise<Cluster> {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-cluster-"));
    for (const name of ["root", "accounts"]) mkdirSync(path.join(folder, name));
    const history = createHistory(leaseMs);
    const postgres = await startPostgresServer();
    const created: ClusterNode[] = [];
    try {
      const extraEnv = (await env?.(postgres.url)) ?? {};
      for (const name of NAMES.slice(0, nodes)) {
        created.push(
          await ClusterNode.open({
            name,
            port: await freePort(),
            folder,
            database: new URL(postgres.url),
            history,
            env: { HOLDFAST_LEASE_MS: String(leaseMs), AGENT_MAX_SESSIONS: "20", ...extraEnv },
          }),
        );
      }
      const cluster = new Cluster({ nodes: created, postgres, history, folder });
      // The first node creates the tables.
      await created[0]?.start();
      await Promise.all(created.slice(1).map((node) => node.start()));
      return cluster;
    } catch (error) {
      for (const node of created) await node.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  node(name: string): ClusterNode {
    const node = this.nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`no node ${name}`);
    return node;
  }

  /** Creates a session in its own repository, which identifies its agents. */
  async createSession(by: ClusterNode): Promise<{ readonly id: string; readonly repo: string }> {
    this.#repos += 1;
    const repo = `repo-${this.#repos}`;
    mkdirSync(path.join(this.#folder, "root", repo, ".git"), { recursive: true });
    const added = await by.client.repos.add({ path: repo });
    const { id } = await by.client.sessions.create({ repoId: added.id, title: repo });
    return { id, repo };
  }

  /** Path of a file that an agent can wait for. */
  file(name: string): string {
    return path.join(this.#folder, name);
  }

  account(): readonly Sighting[] {
    return readAccounts(path.join(this.#folder, "accounts"));
  }

  /** Waits until an agent gets this message, and returns the agent's node. */
  async runnerOf(tag: string, { withinMs = 15_000 } = {}): Promise<ClusterNode> {
    const sighting = await eventually(
      () => this.account().findLast((each) => each.event === "prompt" && each.tag === tag),
      { withinMs, what: `an agent gets ${tag}` },
    );
    return this.node(sighting.node);
  }

  /** Stops the database and starts it again after this time. */
  async restartDatabase(awayMs: number): Promise<void> {
    const end = beginFault(this.history, { kind: "database", node: null });
    await this.#postgres.down();
    await pause(awayMs);
    await this.#postgres.up();
    end();
  }

  async databaseDown(): Promise<() => Promise<void>> {
    const end = beginFault(this.history, { kind: "database", node: null });
    await this.#postgres.down();
    return async () => {
      await this.#postgres.up();
      end();
    };
  }

  /** Agent processes of all nodes. */
  agents(): readonly number[] {
    return markedProcesses(MARKER_VARIABLE, this.#folder);
  }

  /** Contains logs and agents' records, for debugging. */
  get folder(): string {
    return this.#folder;
  }

  async close({ keepFolder = false } = {}): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    for (const pid of this.agents()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has already exited.
      }
    }
    await this.#postgres.stop();
    if (!keepFolder) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Not more often, because each poll may open a connection to the database. */
const POLL_MS = 50;
const NAMES = ["a", "b", "c", "d", "e"] as const;

/** Polls until there is a value. Throws after this much time on the calm clock. */
export async function eventually<Value>(
  read: () => Value | undefined | null | false | Promise<Value | undefined | null | false>,
  { withinMs, what }: { readonly withinMs: number; readonly what: string },
): Promise<Value> {
  const isOver = calmDeadline(withinMs);
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== null && value !== false) return value;
    if (isOver()) throw new Error(`timed out after ${withinMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}
