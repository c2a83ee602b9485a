import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { cleanText } from "../../domain/clean-text.ts";
import type { Journal } from "../journal.ts";
import type { LoginMethod, LoginStatus } from "../login.ts";
import { AgentFault, type AgentReport, type OnReport } from "../provider.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { within, type AcpTimes } from "./acp-times.ts";
import type { Asking } from "./asking.ts";
import { faultOfError, faultOfExit } from "./agent-fault.ts";
import { parseLoginStatus, STATUS_METHODS } from "./login/login-status.ts";
import { createFrameCleaner } from "./redact/clean-frame.ts";
import { createJournalLines } from "./redact/journal-lines.ts";
import { createPendingElicitations, type PendingElicitations } from "./pending-elicitations.ts";
import { createPendingPermissions, type PendingPermissions } from "./pending-permissions.ts";
import type { AgentProcess, ProcessExit } from "./process/spawn-agent.ts";
import { createReportPlaces, type HostedLink, type ReportPlaces } from "./report-places.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import { changedValues, learnAbout, NOTHING_KNOWN } from "./translate/about.ts";
import type { Translator } from "./translate/translate.ts";
import { createUpdateRoute, type UpdateRoute } from "./translate/update-route.ts";
import { openVersionedPeer, type ProtocolChoice } from "./v2/versioned-peer.ts";
import type { JsonRpcPeer } from "./wire/json-rpc-peer.ts";
import { createPromptOutput, isOutput, type LateUpdates } from "./wire/late-updates.ts";
import { looseObject } from "./wire/loose.ts";
import { PeerFault, RpcError } from "./wire/rpc-error.ts";

export interface LinkOptions {
  /** The agent's name in error messages. */
  readonly title: string;
  readonly protocol: ProtocolChoice;
  readonly process: AgentProcess;
  readonly translator: Translator;
  readonly journal: Journal | null;
  readonly redactor: Redactor;
  readonly times: AcpTimes;
  /** Of all agents of the provider. */
  readonly late: LateUpdates;
  /** A person gives the agent a secret. */
  readonly onSecret: (secret: string) => void;
  readonly onReport: OnReport;
  /** Of an agent that outlives the server. */
  readonly hosted?: HostedLink | undefined;
  readonly onLoginStatus?: (status: LoginStatus) => void;
}

/** The connection to an agent's process: sends requests, and turns its messages into reports. */
export class AcpLink {
  readonly title: string;
  readonly process: AgentProcess;
  readonly translator: Translator;
  readonly times: AcpTimes;
  readonly permissions: PendingPermissions;
  readonly elicitations: PendingElicitations;
  readonly route: UpdateRoute;
  /** Closes after everything the agent wrote has been reported. */
  readonly peer: JsonRpcPeer;
  about = NOTHING_KNOWN;
  /** The ways to log in, once the agent has told them. */
  loginMethods: readonly LoginMethod[] = [];
  /** Whether changes of its settings are the agent's own: its session is open, and we are not setting anything. */
  reportsChanges = false;
  readonly redactor: Redactor;
  readonly #onReport: LinkOptions["onReport"];
  readonly #onLoginStatus: LinkOptions["onLoginStatus"];
  readonly #refusals: Refusals;
  readonly #place: ReportPlaces;
  readonly #late: LateUpdates;
  /** Of the prompt at work, or else of the last one. */
  readonly #output = createPromptOutput();
  /** When the last prompt ended; null before that, and during a prompt. */
  #endedAt: number | null = null;
  #asking: Asking = "no";
  #lastUpdateAt = performance.now();
  #release: NodeJS.Timeout | null = null;
  /** Resolves when the runtime has handled all reports so far. */
  #handled: Promise<unknown> = Promise.resolve();
  #exitAfterClosing: Promise<ProcessExit | null> | null = null;

  constructor(options: LinkOptions) {
    const { title, protocol, process, translator, journal, redactor, times, hosted } = options;
    this.title = title;
    this.process = process;
    this.translator = translator;
    this.times = times;
    this.redactor = redactor;
    this.#late = options.late;
    this.#onLoginStatus = options.onLoginStatus;
    this.#onReport = options.onReport;
    this.#place = createReportPlaces(hosted, () => this.reportAll(translator.release()));
    const report = (each: AgentReport): void => this.report(each);
    const refusals = createRefusals((text) =>
      this.reportAll(translator.notice("request_refused", text)),
    );
    this.#refusals = refusals;
    this.permissions = createPendingPermissions({
      translator,
      refusals,
      asking: () => this.#asking,
      newRequestId: this.#place.newId,
      report,
    });
    this.elicitations = createPendingElicitations({
      translator,
      refusals,
      asking: () => this.#asking,
      newRequestId: this.#place.newId,
      report,
      onSecret: options.onSecret,
    });
    this.route = createUpdateRoute({
      onUpdate: (update, sessionId) => {
        if (sessionId === null) this.learn(update);
        const reports = translator.update(update, sessionId);
        if (this.#isJustAfterPrompt && reports.some(isOutput)) this.#late.note();
        this.reportAll(reports.length > 0 ? reports : [ALIVE]);
        this.#releaseLater();
      },
      onIgnored: (update) => {
        this.learn(update);
        this.report(ALIVE);
      },
    });
    const journalLine = createJournalLines(redactor);
    this.peer = openVersionedPeer({
      protocol,
      title,
      input: process.stdout,
      output: process.stdin,
      handlers: {
        "session/request_permission": this.permissions.ask,
        "elicitation/create": this.elicitations.create,
      },
      onNotification: (method, params) => this.#onNotification(method, params),
      onUnknownRequest: (method) => {
        refusals.unknown(method);
        this.report(ALIVE);
      },
      earlier: hosted?.earlier,
      onFrame: this.#place.move,
      onTraffic: (direction, line, frame) => {
        if (direction === "in" && this.#place.isStored) return;
        journal?.write(direction, frame === undefined ? line : journalLine(line, frame));
      },
      clean: createFrameCleaner(redactor),
    });
    void process.exited.then(() => this.peer.finish());
    void this.peer.closed.then(() => {
      if (this.#release !== null) clearTimeout(this.#release);
      this.cancelAsked({ isReported: false });
    });
  }

  /** The number of bytes of the agent's output that have been handled. */
  get offset(): number {
    return this.#place.offset;
  }

  /** The session is open, and a prompt follows: what the agent asks until then can wait for it. */
  expectPrompt(): void {
    this.#asking = "soon";
  }

  /** A prompt begins: the agent may ask a person. */
  beginPrompt(): void {
    this.#asking = "now";
    this.#endedAt = null;
    this.#output.begin();
    this.#refusals.begin();
    this.elicitations.begin();
  }

  /** The prompt is being cancelled: nobody would answer. */
  cancelPrompt(): void {
    this.#asking = "cancelling";
  }

  endPrompt(): void {
    this.#asking = "no";
    this.#endedAt = performance.now();
    this.#refusals.end();
  }

  /** Replies to everything the agent has asked. `isReported`: also reports that it was withdrawn. */
  cancelAsked(options: { readonly isReported: boolean }): void {
    this.permissions.cancelAll(options);
    this.elicitations.cancelAll(options);
  }

  learn(message: unknown): void {
    const before = this.about;
    this.about = learnAbout(before, message);
    if (this.about === before) return;
    const changed = this.reportsChanges ? changedValues(before, this.about) : null;
    this.report({ report: "offer", changed });
  }

  report(report: AgentReport): void {
    this.#output.see(report);
    const busy = this.#onReport(report, this.#place.next());
    if (busy === undefined) return;
    this.peer.hold(busy);
    this.#handled = Promise.allSettled([this.#handled, busy]);
  }

  reportAll(reports: readonly AgentReport[]): void {
    for (const report of reports) this.report(report);
  }

  /** Waits for late updates, which some agents send just after the reply to their prompt. */
  async settle(): Promise<void> {
    await this.#handled;
    if (!this.#late.areExpected && this.#output.seemsWhole) {
      // What has arrived together with the reply is read first.
      await nextTurn();
      await nextTurn();
      if (!this.#late.areExpected) return;
    }
    await this.#untilQuiet();
  }

  async #untilQuiet(): Promise<void> {
    const { quietMs, lateMs } = this.times;
    const startedAt = performance.now();
    this.#lastUpdateAt = startedAt;
    const { promise, resolve } = Promise.withResolvers<void>();
    const leftMs = (): number =>
      Math.min(this.#lastUpdateAt + quietMs, startedAt + lateMs) - performance.now();
    const check = (): void => {
      const ms = leftMs();
      // Updates that arrived while this thread was busy are read first, and count.
      if (ms <= 0) setImmediate(() => (leftMs() <= 0 ? resolve() : check()));
      else setTimeout(check, ms);
    };
    check();
    await Promise.race([promise, this.peer.closed]);
  }

  /** Resolves when an agent that may have sent its last updates after the reply to its prompt has had the time for it. */
  async untilSilent(): Promise<void> {
    if (this.#endedAt === null || this.#late.areExpected) return;
    const ms = this.#endedAt + this.times.quietMs - performance.now();
    if (ms > 0) await Promise.race([pause(ms), this.peer.closed]);
  }

  get #isJustAfterPrompt(): boolean {
    return this.#endedAt !== null && performance.now() < this.#endedAt + this.times.lateMs;
  }

  /** The fault for the error of a failed request. */
  async faultOf(error: unknown): Promise<AgentFault> {
    if (error instanceof AgentFault) return error;
    if (error instanceof RpcError) return faultOfError(this.title, error, this.loginMethods);
    if (!(error instanceof PeerFault)) throw error;
    const message = `${this.title}: ${error.message}`;
    switch (error.code) {
      case "closed":
        return this.#faultOfClosing(error);
      case "timed_out":
      case "overflow":
        return new AgentFault("agent_unresponsive", message, {
          detail: this.stderr() || null,
          isPassing: true,
          cause: error,
        });
      case "aborted":
        return new AgentFault("agent_not_started", message, { cause: error });
      case "unreadable":
        return new AgentFault("agent_unintelligible", message, { cause: error });
      default:
        return error.code satisfies never;
    }
  }

  /** The end of the agent's stderr, without secrets. */
  stderr(): string {
    const { text, isCut } = this.process.stderr();
    const clean = cleanText(this.redactor.text(text));
    // It may begin within a secret.
    return isCut ? clean.slice(this.redactor.longest) : clean;
  }

  /** How the agent exited after it closed its pipes; null if it keeps running. One answer for all: it is stopped then. */
  exitAfterClosing(): Promise<ProcessExit | null> {
    return (this.#exitAfterClosing ??= within(this.times.exitMs, this.process.exited));
  }

  async #faultOfClosing(error: PeerFault): Promise<AgentFault> {
    const exit = await this.exitAfterClosing();
    const detail = this.stderr() || null;
    if (exit !== null) return faultOfExit(this.title, exit, detail);
    const message = `${this.title} closed its pipes but keeps running: ${error.message}`;
    return new AgentFault("agent_unintelligible", message, { detail, cause: error });
  }

  /** Text that waits for the rest of a secret is shown when the agent pauses. */
  #releaseLater(): void {
    if (this.#release !== null) clearTimeout(this.#release);
    const release = (): void => this.reportAll(this.translator.release());
    this.#release = this.translator.isHolding ? setTimeout(release, this.times.heldMs) : null;
  }

  #onNotification(method: string, params: unknown): void {
    if (method === "session/update") {
      this.#lastUpdateAt = performance.now();
      return this.route.take(params);
    }
    if (STATUS_METHODS.has(method)) this.#onLoginStatus?.(parseLoginStatus(params));
    if (method === "$/cancel_request") {
      const requestId = looseObject(params)?.["requestId"];
      this.permissions.withdraw(requestId);
      this.elicitations.withdraw(requestId);
    }
    if (method === "elicitation/complete") this.elicitations.complete(params);
    this.report(ALIVE);
  }
}

const ALIVE: AgentReport = { report: "alive" };
