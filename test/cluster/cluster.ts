import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { MARKER_VARIABLE } from "../../packages/server/src/providers/acp/process/agent-environment.ts";
import {
  startPostgresServer,
  type PostgresServer,
} from "../../packages/server/src/storage/testing/postgres-server.ts";
import { marked } from "../e2e/marked-processes.ts";
import { readAccounts, type Sighting } from "./account.ts";
import { ClusterNode } from "./cluster-node.ts";
import { beginFault, createHistory, type History } from "./history.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";

export interface ClusterOptions {
  readonly nodes?: number;
  readonly leaseMs: number;
  /** Further settings of the nodes, which may depend on where the database is. */
  readonly env?: (databaseUrl: string) => Promise<Readonly<Record<string, string>>>;
}

/** A real PostgreSQL and real server processes on it, each behind a network that can fail. */
export class Cluster {
  readonly nodes: readonly ClusterNode[];
  /** The database without a proxy before it. */
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
    const made: ClusterNode[] = [];
    try {
      const more = (await env?.(postgres.url)) ?? {};
      for (const name of NAMES.slice(0, nodes)) {
        made.push(
          await ClusterNode.open({
            name,
            port: await freePort(),
            folder,
            database: new URL(postgres.url),
            history,
            env: { HOLDFAST_LEASE_MS: String(leaseMs), AGENT_MAX_SESSIONS: "20", ...more },
          }),
        );
      }
      const cluster = new Cluster({ nodes: made, postgres, history, folder });
      // The first one makes the tables.
      await made[0]?.start();
      await Promise.all(made.slice(1).map((node) => node.start()));
      return cluster;
    } catch (error) {
      for (const node of made) await node.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  node(name: string): ClusterNode {
    const found = this.nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found;
  }

  /** A session in a repository of its own, so that its agents can be told from all others. */
  async createSession(by: ClusterNode): Promise<{ readonly id: string; readonly repo: string }> {
    this.#repos += 1;
    const repo = `repo-${this.#repos}`;
    mkdirSync(path.join(this.#folder, "root", repo, ".git"), { recursive: true });
    const added = await by.client.repos.add({ path: repo });
    const { id } = await by.client.sessions.create({ repoId: added.id, title: repo });
    return { id, repo };
  }

  /** Where an agent can be told to wait for a file. */
  file(name: string): string {
    return path.join(this.#folder, name);
  }

  account(): readonly Sighting[] {
    return readAccounts(path.join(this.#folder, "accounts"));
  }

  /** The node whose agent was given this message, as soon as one was. */
  async runnerOf(tag: string, { withinMs = 15_000 } = {}): Promise<ClusterNode> {
    const sighting = await eventually(
      () => this.account().findLast((seen) => seen.event === "prompt" && seen.tag === tag),
      { withinMs, what: `an agent is given ${tag}` },
    );
    return this.node(sighting.node);
  }

  /** Stops the database and starts it again after so long. */
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

  /** Processes of agents, of whichever node. */
  agents(): readonly number[] {
    return marked(MARKER_VARIABLE, this.#folder);
  }

  /** Logs and accounts, for who wants to know what went wrong. */
  get folder(): string {
    return this.#folder;
  }

  async close({ keepsFolder = false } = {}): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    for (const pid of this.agents()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    await this.#postgres.stop();
    if (!keepsFolder) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Each look may open a connection to the database. */
const LOOK_MS = 50;
const NAMES = ["a", "b", "c", "d", "e"] as const;

/** Looks until there is something to see. */
export async function eventually<Value>(
  look: () => Value | undefined | null | false | Promise<Value | undefined | null | false>,
  { withinMs, what }: { readonly withinMs: number; readonly what: string },
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(LOOK_MS);
  }
}
