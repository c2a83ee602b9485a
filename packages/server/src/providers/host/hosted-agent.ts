import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { within, ACP_TIMES } from "../acp/acp-times.ts";
import { sweepAgents, type SweepResult } from "../acp/process/process-sweep.ts";
import { spawnAgent, type AgentProcess } from "../acp/process/spawn-agent.ts";
import { setUmaskOfUser } from "../acp/process/umask.ts";
import { stopAgent } from "../acp/process/stop-agent.ts";
import { endControlGroup } from "../containment/control-group.ts";
import { openAgentLog, type AgentLog } from "./agent-log.ts";
import { frameHeader } from "./frames.ts";
import { openHostedFolders } from "./hosted-folders.ts";
import {
  AGENT_ORDERS,
  FRAMES,
  type Attached,
  type EndedBy,
  type HostedExit,
  type StartHosted,
} from "./host-protocol.ts";

export interface HostedAgentOptions {
  readonly order: StartHosted;
  readonly logFile: string;
  readonly limits: HostLimits;
  /** It has exited, and its last output is in the log. */
  readonly onExit: () => void;
}

export interface HostLimits {
  /** A longer log is given up until the next checkpoint. */
  readonly logBytes: number;
  /** While no server reads, an agent may write so much. Then it has to wait. */
  readonly unreadBytes: number;
}

/** Lines that wait for an agent which does not read. Beyond that, nothing is read from the server. */
const MAX_INPUT_BYTES = 1024 * 1024;
/** For output that is in the pipe when the agent exits. */
const END_MS = 250;
/** For an agent to heed the farewell. */
const HEED_MS = 1_000;

/** An agent of the host, with or without a server that listens. Owns its pipes, and writes its log. */
export class HostedAgent {
  readonly id: string;
  readonly #options: HostedAgentOptions;
  readonly #process: AgentProcess;
  readonly #log: AgentLog;
  /** The number of bytes that the agent has written. */
  #offset = 0;
  /** Of these, the bytes since a server listened last. */
  #unread = 0;
  #connection: Socket | null = null;
  #hasOutputEnded = false;
  #exit: HostedExit | null = null;
  #endedBy: EndedBy = "itself";
  /** A line that the agent gets before it is ended. */
  #farewell: Buffer | null = null;
  #ending: Promise<void> | null = null;
  readonly #urgency = new AbortController();

  private constructor(options: HostedAgentOptions, process: AgentProcess, log: AgentLog) {
    this.id = options.order.id;
    this.#options = options;
    this.#process = process;
    this.#log = log;
    const { stdout, stdin } = process;
    stdin.on("error", () => {});
    stdin.on("drain", () => this.#connection?.resume());
    stdout.on("data", (bytes: Buffer) => this.#onOutput(bytes));
    stdout.on("error", () => {});
    stdout.on("close", () => this.#endOutput());
    stdout.on("end", () => this.#endOutput());
    void process.exited.then((exit) => this.#onExit(exit));
  }

  /** Throws an `AgentFault` if it cannot be started. */
  static async start(options: HostedAgentOptions): Promise<HostedAgent> {
    const { order, logFile, limits } = options;
    const { id, about, command, isEnclosed, umask } = order;
    if (umask !== null) setUmaskOfUser(umask);
    const folders = openHostedFolders([order.workspace, ...order.directories]);
    let agent: HostedAgent | null = null;
    try {
      const [workspace, ...directories] = folders.workspaces;
      if (workspace === undefined) throw new Error("unreachable: there is a workspace");
      const process = await spawnAgent({
        command,
        isEnclosed,
        workspace,
        directories,
        onStderr: (bytes) => agent?.send(FRAMES.stderr, Buffer.from(bytes)),
      });
      const { pid } = process;
      const log = openAgentLog({
        file: logFile,
        head: { id, pid, about },
        maxBytes: limits.logBytes,
      });
      agent = new HostedAgent(options, process, log);
      return agent;
    } finally {
      folders.close();
    }
  }

  get isAlive(): boolean {
    return this.#exit === null;
  }

  get isAttached(): boolean {
    return this.#connection !== null;
  }

  /** From now on this server listens, and no other. */
  attach(connection: Socket): void {
    this.send(FRAMES.replaced);
    this.#connection?.end();
    this.#connection = connection;
    this.#unread = 0;
    connection.on("drain", () => this.#process.stdout.resume());
    connection.on("close", () => {
      if (this.#connection !== connection) return;
      this.#connection = null;
      this.#process.stdout.resume();
    });
    const { pid } = this.#process;
    const { file, size, isWhole } = this.#log;
    const attached: Attached = {
      ok: true,
      pid,
      log: isWhole ? file : null,
      logSize: size,
    };
    this.send(FRAMES.attached, Buffer.from(JSON.stringify(attached)));
    this.#sendEnding();
    const { text } = this.#process.stderr();
    if (text !== "") this.send(FRAMES.stderr, Buffer.from(text));
    if (this.#hasOutputEnded) this.send(FRAMES.outputEnded);
    if (this.#exit !== null) this.send(FRAMES.exited, Buffer.from(JSON.stringify(this.#exit)));
    this.#process.stdout.resume();
  }

  /** Follows an order of the server that listens. True if the agent may be forgotten. */
  follow(connection: Socket, line: Buffer): boolean {
    if (connection !== this.#connection) return false;
    const rest = line.subarray(1);
    switch (String.fromCharCode(line[0] ?? 0)) {
      case AGENT_ORDERS.input:
        this.#giveInput(rest);
        return false;
      case AGENT_ORDERS.checkpoint:
        this.#log.addCheckpoint(rest, this.#offset);
        return false;
      case AGENT_ORDERS.farewell:
        this.#farewell = Buffer.from(rest);
        return false;
      case AGENT_ORDERS.keepNothing:
        this.#log.remove();
        return false;
      case AGENT_ORDERS.endInput:
        this.#process.stdin.end();
        return false;
      case AGENT_ORDERS.terminate:
        this.#process.signal("SIGTERM");
        return false;
      case AGENT_ORDERS.kill:
        this.#process.signal("SIGKILL");
        return false;
      case AGENT_ORDERS.forget:
        return this.#exit !== null;
      default:
        // A later version of the protocol would have another number.
        return false;
    }
  }

  /** Ends the agent and everything it started. */
  end(by: EndedBy, { isUrgent }: { readonly isUrgent: boolean }): Promise<void> {
    if (isUrgent) this.#urgency.abort();
    if (this.#exit === null && this.#endedBy === "itself") {
      this.#endedBy = by;
      this.#sendEnding();
    }
    return (this.#ending ??= this.#end());
  }

  /** The log stays for a later server, unless the agent is forgotten. */
  close({ isForgotten }: { readonly isForgotten: boolean }): void {
    if (isForgotten) this.#log.remove();
    else this.#log.close();
    this.#connection?.end();
  }

  send(kind: number, bytes: Buffer = EMPTY): void {
    const connection = this.#connection;
    if (connection === null || connection.destroyed) return;
    connection.cork();
    connection.write(frameHeader(kind, bytes.length));
    connection.write(bytes);
    connection.uncork();
  }

  /** Before the farewell, so that the server knows why the agent ends its prompt. */
  #sendEnding(): void {
    if (this.#endedBy === "itself") return;
    this.send(FRAMES.ending, Buffer.from(JSON.stringify({ why: this.#endedBy })));
  }

  #onOutput(bytes: Buffer): void {
    // The server is woken up first. If the host is killed in between, the server has stored more than the log contains.
    this.send(FRAMES.output, bytes);
    this.#log.addOutput(bytes);
    this.#offset += bytes.length;
    const connection = this.#connection;
    if (connection === null) this.#unread += bytes.length;
    const isFull =
      connection === null
        ? this.#unread > this.#options.limits.unreadBytes
        : connection.writableNeedDrain;
    if (isFull) this.#process.stdout.pause();
  }

  #endOutput(): void {
    if (this.#hasOutputEnded) return;
    this.#hasOutputEnded = true;
    this.send(FRAMES.outputEnded);
  }

  async #onExit({ code, signal }: Pick<HostedExit, "code" | "signal">): Promise<void> {
    // Its last output may still be in the pipe. A child of it may keep the pipe open.
    const { stdout } = this.#process;
    if (!this.#hasOutputEnded)
      await within(END_MS, new Promise<void>((resolve) => stdout.once("close", resolve)));
    this.#endOutput();
    this.#exit = { code, signal, why: this.#endedBy };
    this.#log.addExit(this.#exit);
    this.send(FRAMES.exited, Buffer.from(JSON.stringify(this.#exit)));
    this.#options.onExit();
  }

  #giveInput(line: Buffer): void {
    this.#log.addInput(line);
    const { stdin } = this.#process;
    if (!stdin.writable) return;
    stdin.cork();
    stdin.write(line);
    stdin.write(NEWLINE);
    stdin.uncork();
    if (stdin.writableLength > MAX_INPUT_BYTES) this.#connection?.pause();
  }

  async #end(): Promise<void> {
    const { marker } = this.#options.order.about;
    const sayFarewell = async (): Promise<void> => {
      if (this.#farewell === null) return;
      this.#giveInput(this.#farewell);
      if (!this.#urgency.signal.aborted) await pause(HEED_MS);
    };
    const sweep = async (): Promise<SweepResult> => {
      await endControlGroup(marker);
      return sweepAgents(marker);
    };
    if (this.#urgency.signal.aborted) await sayFarewell();
    // An agent that floods would not read the farewell.
    this.#process.stdout.resume();
    await stopAgent({
      process: this.#process,
      cancel: sayFarewell,
      close: null,
      sweep,
      times: ACP_TIMES,
      urgency: this.#urgency.signal,
    });
  }
}

const EMPTY = Buffer.alloc(0);
const NEWLINE = Buffer.from("\n");
