import type { PromptRequest } from "@agentclientprotocol/sdk";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { AgentOffer } from "../../domain/settings/agent-offer.ts";
import {
  AgentFault,
  type Agent,
  type AgentAnswer,
  type AgentExit,
  type Prompt,
  type PromptEnd,
  type WantedSettings,
} from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import { within } from "./acp-times.ts";
import type { AcpDefinition } from "./definition.ts";
import type { OpenedSession } from "./open-session.ts";
import type { HostedProcess } from "../host/hosted-process.ts";
import type { SweepResult } from "./process/process-sweep.ts";
import { stopAgent } from "./process/stop-agent.ts";
import { promptBlocks } from "./prompt-blocks.ts";
import { applySetting, applySettings } from "./session-settings.ts";
import { steerPrompt } from "./steering.ts";
import { offerOf } from "./translate/about.ts";
import { normaliseUsage } from "./translate/usage.ts";
import { looseObject, looseText } from "./wire/loose.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";

export interface AcpAgentOptions {
  readonly definition: AcpDefinition;
  readonly link: AcpLink;
  readonly session: OpenedSession;
  readonly sweep: () => Promise<SweepResult>;
  readonly closeJournal: () => Promise<void>;
  /** A prompt is about to be given: keeps its note, and what a later server must know to go on. */
  readonly keep?: ((prompt: JsonObject) => void) | null;
  /** Null or absent if the agent ends with the server. */
  readonly hosted?: HostedProcess["host"] | null;
  /** The prompt that an earlier server has given to it. */
  readonly earlier?: EarlierPrompt | null;
}

export interface EarlierPrompt {
  readonly note: JsonObject;
  readonly reply: Promise<unknown>;
  /** The agent was told to cancel it. */
  readonly isCancelled: boolean;
}

interface ActivePrompt {
  isCancelled: boolean;
  /** Resolves when the prompt has ended, even with an error. */
  readonly settled: Promise<void>;
}

export class AcpAgent implements Agent {
  readonly provider: string;
  readonly pid: number;
  readonly memory: Agent["memory"];
  readonly supportsResume: boolean;
  readonly notices: readonly string[];
  readonly resumeData: Json;
  readonly offered: AgentOffer | null;
  readonly exited: Promise<AgentExit>;
  readonly steer?: NonNullable<Agent["steer"]>;
  readonly #options: AcpAgentOptions;
  readonly #link: AcpLink;
  readonly #urgency = new AbortController();
  /** Options whose refusal the transcript shows already. */
  readonly #skipped = new Set<string>();
  #earlier: EarlierPrompt | null;
  #prompt: ActivePrompt | null = null;
  #isDisconnected = false;
  #stopping: Promise<void> | null = null;

  constructor(options: AcpAgentOptions) {
    const { definition, link, session } = options;
    this.provider = definition.name;
    this.pid = link.process.pid;
    this.memory = session.memory;
    this.offered = session.offered;
    this.notices = session.notices;
    const { sessionId, createdAt, capabilities } = session;
    // An ID with a secret in it is not stored.
    const isStorable = link.redactor.text(sessionId) === sessionId;
    this.supportsResume = isStorable && (capabilities.resume || capabilities.load);
    this.resumeData = isStorable ? { sessionId, createdAt } : null;
    if (capabilities.steering) {
      this.steer = async (parts, messageId) =>
        this.#prompt === null ? "refused" : steerPrompt(link, session, { parts, messageId });
    }
    this.#options = options;
    this.#link = link;
    this.#earlier = options.earlier ?? null;
    if (this.#earlier === null) link.expectPrompt();
    else link.beginPrompt();
    if (this.#earlier?.isCancelled === true) link.cancelPrompt();
    options.hosted?.setFarewell(
      JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } }),
    );
    // Its children may outlive it.
    void link.process.exited.then(() => this.stop({ urgent: true }));
    this.exited = link.process.exited.then(async (exit) => {
      await link.peer.closed;
      return { ...exit, stderr: link.stderr() };
    });
    void link.peer.closed.then(() => this.#stopDisconnected());
  }

  get isGone(): boolean {
    return this.#isDisconnected || this.#link.process.isGone || this.endedBy !== null;
  }

  get openPrompt(): JsonObject | null {
    return this.#earlier?.note ?? null;
  }

  get endedBy(): NonNullable<Agent["endedBy"]> | null {
    const by = this.#options.hosted?.endedBy ?? null;
    return by === "itself" || by === "replaced" ? null : by;
  }

  untilSilent(): Promise<void> {
    return this.#link.untilSilent();
  }

  get outlives(): boolean {
    return (this.#options.hosted ?? null) !== null;
  }

  forget(): void {
    this.#options.hosted?.forget();
  }

  get offer(): AgentOffer {
    return offerOf(this.#link.about);
  }

  async apply(wanted: WantedSettings): Promise<void> {
    const link = this.#link;
    link.reportsChanges = false;
    try {
      const skipped = await applySettings(link, this.#options.session.sessionId, wanted);
      for (const { id, reason } of skipped) {
        if (this.#skipped.has(id)) continue;
        this.#skipped.add(id);
        const text = `An option of the session was left out: ${reason}.`;
        const content = { type: "text", text, notice: "option_skipped", severity: "warning" };
        link.report({ report: "message", content });
      }
    } catch (error) {
      throw await link.faultOf(error);
    } finally {
      link.reportsChanges = true;
    }
  }

  async prompt(prompt: Prompt): Promise<PromptEnd> {
    if (this.#prompt !== null) throw new Error("unreachable: one prompt at a time");
    const { promise, resolve } = Promise.withResolvers<void>();
    const active = { isCancelled: this.#earlier?.isCancelled ?? false, settled: promise };
    this.#prompt = active;
    try {
      const end = await this.#sendPrompt(prompt, active);
      if (end.stopReason === CANCELLED && this.endedBy !== null)
        throw new AgentFault("agent_exited", `${this.#link.title} was ended`);
      this.#endPrompt(end.stopReason === CANCELLED ? "cancelled" : "completed");
      return end;
    } catch (error) {
      const fault = await this.#link.faultOf(error);
      this.#endPrompt("failed");
      throw fault;
    } finally {
      this.#prompt = null;
      resolve();
    }
  }

  answer(requestId: string, answer: AgentAnswer): boolean {
    const { permissions, elicitations } = this.#link;
    return "action" in answer
      ? elicitations.answer(requestId, answer)
      : permissions.answer(requestId, answer);
  }

  async cancel(): Promise<"settled" | "ignored"> {
    // Nobody waits for the end of a prompt that an earlier server gave.
    if (this.#prompt === null && this.#earlier !== null)
      void this.prompt({ parts: [], model: null }).catch(() => {});
    const prompt = this.#prompt;
    if (prompt === null) return "settled";
    const hasSettled = await this.#cancelPrompt(prompt);
    return hasSettled && !this.#options.definition.endsOnCancel ? "settled" : "ignored";
  }

  async stop({ urgent = false }: { readonly urgent?: boolean } = {}): Promise<void> {
    if (urgent) this.#urgency.abort();
    this.#stopping ??= this.#stop();
    await this.#stopping;
  }

  async #sendPrompt(prompt: Prompt, active: ActivePrompt): Promise<PromptEnd> {
    const { link, session } = this.#options;
    const { sessionId, capabilities } = session;
    const earlier = this.#earlier;
    this.#earlier = null;
    if (earlier !== null) return this.#endOf(earlier.reply, active);
    const { model, parts, note } = prompt;
    if (model !== null) {
      link.reportsChanges = false;
      await applySetting(link, sessionId, { name: "model", value: model });
      link.reportsChanges = true;
    }
    if (active.isCancelled) return { stopReason: CANCELLED, usage: null };
    link.beginPrompt();
    const params: PromptRequest = { sessionId, prompt: [...promptBlocks(parts, capabilities)] };
    if (note !== undefined) this.#options.keep?.(note);
    return this.#endOf(link.peer.request("session/prompt", params), active);
  }

  async #endOf(reply: Promise<unknown>, active: ActivePrompt): Promise<PromptEnd> {
    const { link } = this.#options;
    try {
      const result = await reply;
      link.endPrompt();
      await link.settle();
      return {
        stopReason: looseText(looseObject(result)?.["stopReason"]) ?? "end_turn",
        usage: normaliseUsage(result),
      };
    } catch (error) {
      link.endPrompt();
      if (!(error instanceof RpcError)) throw error;
      await link.settle();
      // Some agents reply to a cancelled prompt with an error.
      if (error.code !== RPC_CODES.requestCancelled && !active.isCancelled) throw error;
      return { stopReason: CANCELLED, usage: null };
    }
  }

  #endPrompt(how: "completed" | "cancelled" | "failed"): void {
    // The questions of an agent that was ended stay open.
    this.#link.cancelAsked({ isReported: this.endedBy === null });
    this.#link.reportAll(this.#link.translator.endPrompt(how));
  }

  /** True if the prompt has ended in time. */
  async #cancelPrompt(prompt: ActivePrompt): Promise<boolean> {
    const link = this.#link;
    link.cancelPrompt();
    if (!prompt.isCancelled) this.#notifyCancel();
    prompt.isCancelled = true;
    link.cancelAsked({ isReported: false });
    const hasSettled = prompt.settled.then(() => true);
    return (await within(link.times.cancelMs, hasSettled)) ?? false;
  }

  #notifyCancel(): void {
    const { sessionId } = this.#options.session;
    this.#link.peer.notify("session/cancel", { sessionId });
  }

  async #stop(): Promise<void> {
    const { link, session, sweep, closeJournal } = this.#options;
    const { times, process, peer } = link;
    const prompt = this.#prompt;
    // An agent gets a cancel before it is stopped, even if it is idle or there is no time to wait.
    if (!process.isGone) {
      if (prompt === null) this.#notifyCancel();
      else if (this.#urgency.signal.aborted) void this.#cancelPrompt(prompt);
    }
    const { sessionId, capabilities } = session;
    await stopAgent({
      process,
      cancel: prompt === null ? null : () => this.#cancelPrompt(prompt),
      close: capabilities.close ? () => peer.request("session/close", { sessionId }) : null,
      sweep,
      times,
      urgency: this.#urgency.signal,
    });
    // Its last messages may still be on their way.
    await within(times.exitMs, peer.closed);
    await closeJournal();
  }

  /** Stops a process that has closed its pipes but does not exit. */
  async #stopDisconnected(): Promise<void> {
    this.#isDisconnected = true;
    const exit = await this.#link.exitAfterClosing();
    if (exit === null && this.#stopping === null) await this.stop({ urgent: true });
  }
}

const CANCELLED = "cancelled";
