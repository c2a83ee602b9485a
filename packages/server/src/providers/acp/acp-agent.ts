import type { PromptRequest } from "@agentclientprotocol/sdk";
import type { Json } from "../../domain/json.ts";
import type { Agent, AgentExit, PermissionAnswer, Prompt, PromptEnd } from "../provider.ts";
import { orAfter, type AcpLink } from "./acp-link.ts";
import type { AcpTimes } from "./acp-times.ts";
import type { AcpDefinition } from "./definition.ts";
import { looseObject, looseText } from "./wire/loose.ts";
import { resumeDataOf, type OpenedSession } from "./open-session.ts";
import type { Swept } from "./process/process-sweep.ts";
import { promptBlocks } from "./prompt-blocks.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";
import { setModel } from "./session-settings.ts";
import { stopAgent } from "./process/stop-agent.ts";
import { normaliseUsage } from "./translate/usage.ts";

export interface AcpAgentOptions {
  readonly definition: AcpDefinition;
  readonly link: AcpLink;
  readonly session: OpenedSession;
  readonly times: AcpTimes;
  readonly sweep: () => Promise<Swept>;
  readonly closeJournal: () => Promise<void>;
}

interface Prompting {
  isCancelled: boolean;
  /** Resolves when the prompt has ended, in whatever way. */
  readonly settled: Promise<void>;
}

export class AcpAgent implements Agent {
  readonly provider: string;
  readonly pid: number;
  readonly memory: Agent["memory"];
  readonly supportsResume: boolean;
  readonly resumeData: Json;
  readonly exited: Promise<AgentExit>;
  readonly #options: AcpAgentOptions;
  readonly #link: AcpLink;
  readonly #urgency = new AbortController();
  #prompting: Prompting | null = null;
  /** It can neither hear nor speak. */
  #isUseless = false;
  #stopping: Promise<void> | null = null;

  constructor(options: AcpAgentOptions) {
    const { definition, link, session } = options;
    this.provider = definition.name;
    this.pid = link.process.pid;
    this.memory = session.memory;
    this.supportsResume = session.capabilities.resume || session.capabilities.load;
    this.resumeData = resumeDataOf(session);
    this.#options = options;
    this.#link = link;
    // Its children may live on when it ends by itself.
    void link.process.exited.then(() => this.stop({ urgent: true }));
    this.exited = link.process.exited.then(async (exit) => {
      await link.closed;
      return { ...exit, stderr: link.stderr() };
    });
    void link.closed.then(() => this.#endUseless());
  }

  get isGone(): boolean {
    return this.#isUseless || this.#link.process.isGone;
  }

  async prompt(prompt: Prompt): Promise<PromptEnd> {
    if (this.#prompting !== null) throw new Error("unreachable: one prompt at a time");
    const { promise, resolve } = Promise.withResolvers<void>();
    const prompting = { isCancelled: false, settled: promise };
    this.#prompting = prompting;
    try {
      const end = await this.#ask(prompt, prompting);
      this.#endPrompt(end.stopReason === CANCELLED ? "cancelled" : "completed");
      return end;
    } catch (error) {
      const fault = await this.#link.faultOf(error);
      this.#endPrompt("failed");
      throw fault;
    } finally {
      this.#prompting = null;
      resolve();
    }
  }

  answer(requestId: string, answer: PermissionAnswer): boolean {
    return this.#link.permissions.answer(requestId, answer);
  }

  async cancel(): Promise<"settled" | "ignored"> {
    const prompting = this.#prompting;
    if (prompting === null) return "settled";
    const hasSettled = await this.#cancelPrompt(prompting);
    return hasSettled && !this.#options.definition.endsOnCancel ? "settled" : "ignored";
  }

  async stop({ urgent = false }: { readonly urgent?: boolean } = {}): Promise<void> {
    if (urgent) this.#urgency.abort();
    this.#stopping ??= this.#stop();
    await this.#stopping;
  }

  async #ask(prompt: Prompt, prompting: Prompting): Promise<PromptEnd> {
    const { link, definition, session, times } = this.#options;
    const { sessionId, capabilities } = session;
    if (prompt.model !== null) {
      const options = { timeoutMs: times.startMs };
      await setModel({ link, title: definition.title, sessionId, options }, prompt.model);
    }
    if (prompting.isCancelled) return { stopReason: CANCELLED, usage: null };
    link.mayAsk = true;
    const params: PromptRequest = {
      sessionId,
      prompt: [...promptBlocks(prompt.parts, capabilities)],
    };
    try {
      const result = await link.request("session/prompt", params);
      link.mayAsk = false;
      await link.settle();
      return {
        stopReason: looseText(looseObject(result)?.["stopReason"]) ?? "end_turn",
        usage: normaliseUsage(result),
      };
    } catch (error) {
      link.mayAsk = false;
      if (!(error instanceof RpcError)) throw error;
      await link.settle();
      // What a cancelled prompt fails with is a way of saying that it was cancelled.
      if (error.code !== RPC_CODES.requestCancelled && !prompting.isCancelled) throw error;
      return { stopReason: CANCELLED, usage: null };
    }
  }

  #endPrompt(how: "completed" | "cancelled" | "failed"): void {
    this.#link.permissions.cancelAll({ isReported: true });
    this.#link.reportAll(this.#link.translator.endPrompt(how));
  }

  /** True when the prompt has ended in time. */
  async #cancelPrompt(prompting: Prompting): Promise<boolean> {
    const { link, session, times } = this.#options;
    prompting.isCancelled = true;
    link.mayAsk = false;
    link.notify("session/cancel", { sessionId: session.sessionId });
    link.permissions.cancelAll({ isReported: false });
    return (
      (await orAfter(
        times.cancelMs,
        prompting.settled.then(() => true),
      )) ?? false
    );
  }

  async #stop(): Promise<void> {
    const { link, session, times, sweep, closeJournal } = this.#options;
    const { sessionId, capabilities } = session;
    const prompting = this.#prompting;
    this.#sayCancel(prompting);
    await stopAgent({
      process: link.process,
      cancel: prompting === null ? null : () => this.#cancelPrompt(prompting),
      close: capabilities.close ? () => link.request("session/close", { sessionId }) : null,
      sweep,
      times,
      urgency: this.#urgency.signal,
    });
    // What it said last is on its way.
    await orAfter(times.exitMs, link.closed);
    await closeJournal();
  }

  /** An agent hears a cancel before it is ended: also one that has nothing to do, and without being waited for. */
  #sayCancel(prompting: Prompting | null): void {
    const { link, session } = this.#options;
    if (link.process.isGone) return;
    if (prompting === null) link.notify("session/cancel", { sessionId: session.sessionId });
    else if (this.#urgency.signal.aborted) void this.#cancelPrompt(prompting);
  }

  /** A process that is of no use is ended, so that somebody notices. */
  async #endUseless(): Promise<void> {
    this.#isUseless = true;
    const exit = await orAfter(this.#options.times.exitMs, this.#link.process.exited);
    if (exit === null && this.#stopping === null) await this.stop({ urgent: true });
  }
}

const CANCELLED = "cancelled";
