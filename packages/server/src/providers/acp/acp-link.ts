import { cleanText } from "../../domain/clean-text.ts";
import type { Journal } from "../journal.ts";
import { AgentFault, type AgentReport } from "../provider.ts";
import type { Redact } from "../redact.ts";
import { learnAbout, NOTHING_KNOWN, type AgentAbout } from "./translate/about.ts";
import type { AcpTimes } from "./acp-times.ts";
import { faultOfError, faultOfExit } from "./agent-fault.ts";
import { openJsonRpcPeer, type JsonRpcPeer, type RequestOptions } from "./wire/json-rpc-peer.ts";
import { looseObject } from "./wire/loose.ts";
import { createPendingPermissions, type PendingPermissions } from "./pending-permissions.ts";
import { PeerFault, RpcError } from "./wire/rpc-error.ts";
import type { AgentProcess } from "./process/spawn-agent.ts";
import type { Translator } from "./translate/translator.ts";
import { createUpdateRoute, type UpdateRoute } from "./translate/update-route.ts";

export interface LinkOptions {
  /** How the agent is called in messages. */
  readonly title: string;
  readonly process: AgentProcess;
  readonly translator: Translator;
  readonly journal: Journal | null;
  readonly redact: Redact;
  readonly times: AcpTimes;
  readonly onReport: (report: AgentReport) => Promise<void> | undefined;
}

/** An agent's process and what is said over its pipes: requests to it, reports from it. */
export class AcpLink {
  readonly process: AgentProcess;
  readonly permissions: PendingPermissions;
  readonly route: UpdateRoute;
  /** Whether somebody waits for what the agent does, and can be asked. */
  mayAsk = false;
  readonly #options: LinkOptions;
  readonly #peer: JsonRpcPeer;
  #about = NOTHING_KNOWN;
  #heardAt = performance.now();
  /** Resolves when everything reported so far has been taken. */
  #taken: Promise<unknown> = Promise.resolve();

  constructor(options: LinkOptions) {
    const { process, translator, journal } = options;
    this.#options = options;
    this.process = process;
    this.permissions = createPendingPermissions({
      translator,
      mayAsk: () => this.mayAsk,
      report: (report) => this.report(report),
    });
    this.route = createUpdateRoute({
      onUpdate: (update) => this.#hear(update),
      onIgnored: (update) => {
        this.learn(update);
        this.report(ALIVE);
      },
    });
    this.#peer = openJsonRpcPeer({
      input: process.stdout,
      output: process.stdin,
      handlers: { "session/request_permission": this.permissions.ask },
      onNotification: (method, params) => this.#onNotification(method, params),
      onUnknownRequest: () => this.report(ALIVE),
      onTraffic: (direction, line) => journal?.write(direction, line),
    });
    void process.exited.then(() => this.#peer.finish());
    void this.#peer.closed.then(() => this.permissions.cancelAll({ isReported: false }));
  }

  get about(): AgentAbout {
    return this.#about;
  }

  /** Resolves when nothing can be said to the agent any more, and all it has said was reported. */
  get closed(): Promise<string> {
    return this.#peer.closed;
  }

  get translator(): Translator {
    return this.#options.translator;
  }

  request(method: string, params: object, options?: RequestOptions): Promise<unknown> {
    return this.#peer.request(method, params, options);
  }

  notify(method: string, params: object): void {
    this.#peer.notify(method, params);
  }

  learn(told: unknown): void {
    this.#about = learnAbout(this.#about, told);
  }

  report(report: AgentReport): void {
    const busy = this.#options.onReport(report);
    if (busy === undefined) return;
    this.#peer.hold(busy);
    this.#taken = Promise.allSettled([this.#taken, busy]);
  }

  reportAll(reports: readonly AgentReport[]): void {
    for (const report of reports) this.report(report);
  }

  /** Agents say some things just after the answer they belong to. */
  async settle(): Promise<void> {
    const { quietMs, lateMs } = this.#options.times;
    await this.#taken;
    const begun = performance.now();
    this.#heardAt = begun;
    const { promise, resolve } = Promise.withResolvers<void>();
    const leftMs = (): number =>
      Math.min(this.#heardAt + quietMs, begun + lateMs) - performance.now();
    const look = (): void => {
      // What came while this thread was busy is read first, and counts.
      if (leftMs() <= 0) setImmediate(() => (leftMs() <= 0 ? resolve() : look()));
      else setTimeout(look, leftMs());
    };
    look();
    await Promise.race([promise, this.#peer.closed]);
  }

  /** What it means that a request failed. */
  async faultOf(error: unknown): Promise<AgentFault> {
    const { title, redact } = this.#options;
    if (error instanceof AgentFault) return error;
    if (error instanceof RpcError) return faultOfError(title, error, redact);
    if (!(error instanceof PeerFault)) throw error;
    switch (error.code) {
      case "closed":
        return this.#faultOfClosing(error);
      case "timed_out":
      case "overflow":
        return new AgentFault("agent_unresponsive", `${title}: ${error.message}`, {
          detail: this.stderr() || null,
          isPassing: true,
          cause: error,
        });
      case "aborted":
        return new AgentFault("agent_not_started", `${title}: ${error.message}`, { cause: error });
      case "unreadable":
        return new AgentFault("agent_unintelligible", `${title}: ${error.message}`, {
          cause: error,
        });
      default:
        return error.code satisfies never;
    }
  }

  /** What it wrote last to stderr, to be shown. */
  stderr(): string {
    return cleanText(this.#options.redact(this.process.stderr()));
  }

  async #faultOfClosing(error: PeerFault): Promise<AgentFault> {
    const { title, times } = this.#options;
    const exit = await orAfter(times.exitMs, this.process.exited);
    const detail = this.stderr() || null;
    if (exit !== null) return faultOfExit(title, exit, detail);
    const message = `${title} closed its pipes and lives on: ${error.message}`;
    return new AgentFault("agent_unintelligible", message, { detail, cause: error });
  }

  #onNotification(method: string, params: unknown): void {
    if (method === "session/update") {
      this.#heardAt = performance.now();
      return this.route.take(params);
    }
    if (method === "$/cancel_request") {
      this.permissions.withdraw(looseObject(params)?.["requestId"]);
    }
    this.report(ALIVE);
  }

  #hear(update: unknown): void {
    this.learn(update);
    const reports = this.translator.update(update);
    this.reportAll(reports.length > 0 ? reports : [ALIVE]);
  }
}

/** Null when it takes longer. */
export async function orAfter<Value>(ms: number, promise: Promise<Value>): Promise<Value | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const ALIVE: AgentReport = { report: "alive" };
