import { connect, type Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { sweepAgents } from "../acp/process/process-sweep.ts";
import type { AgentProcess, ProcessExit } from "../acp/process/spawn-agent.ts";
import type { Marker } from "../acp/process/agent-environment.ts";
import { openTail } from "../acp/process/tail.ts";
import { AgentFault } from "../provider.ts";
import { createFrameSplitter, type HostFrame } from "./frames.ts";
import {
  AGENT_ORDERS,
  FRAMES,
  type Checkpoint,
  type EndedBy,
  type Opening,
} from "./host-protocol.ts";
import { parseAttached, parseExit } from "./parse-host.ts";
import { readAgentLog, type AgentHistory } from "./read-agent-log.ts";

/** An agent whose pipes belong to the host. It outlives this process. */
export interface HostedProcess extends AgentProcess {
  readonly host: {
    readonly id: string;
    /** What was said before; null if that is not known. */
    readonly history: AgentHistory | null;
    /** The agent's output before `offset` is not needed any more. */
    checkpoint(checkpoint: Checkpoint): void;
    /** A line that the agent gets before it is ended because no server came. */
    setFarewell(line: string): void;
    /** The agent gets a secret: from now on there is no log of it, so that it ends with this server. */
    keepNothing(): void;
    /** Everything that the agent said is stored, and it has exited. */
    forget(): void;
    /** This server ends, and the agent goes on. Nothing more is heard of it. */
    leave(): void;
    /** Why it ended, or is about to; null while it has not. */
    readonly endedBy: ProcessEnd | null;
  };
}

/** `replaced`: another server has taken it up. */
export type ProcessEnd = EndedBy | "replaced";

/** The host has ended, or is about to. */
export class HostGone extends AgentFault {
  constructor(reason: string) {
    const message = `The agent host cannot be reached: ${reason}`;
    super("agent_not_started", message, { isPassing: true });
    this.name = "HostGone";
  }
}

export interface ConnectRequest {
  readonly socket: string;
  readonly opening: Extract<Opening, { do: "start" | "attach" }>;
  readonly marker: Marker;
  readonly onStderr?: (bytes: Uint8Array) => void;
}

/** As much output as this is read before it is needed, so that the end of the agent is noticed behind it. */
const READ_AHEAD_BYTES = 256 * 1024;
const STDERR_BYTES = 64 * 1024;

/** Starts an agent in the host, or takes one up. Throws an `AgentFault`. */
export async function connectToAgent(request: ConnectRequest): Promise<HostedProcess> {
  const { socket: path, opening, marker, onStderr = () => {} } = request;
  const id = opening.do === "start" ? opening.agent.id : opening.id;
  const connection = connect(path);
  const attaching = Promise.withResolvers<void>();
  attaching.promise.catch(() => {});
  const exiting = Promise.withResolvers<ProcessExit>();
  const tail = openTail(STDERR_BYTES);
  let pid = 0;
  let history: AgentHistory | null = null;
  let exit: (ProcessExit & { readonly why: ProcessEnd }) | null = null;
  let ending: ProcessEnd | null = null;
  let isForgotten = false;
  let hasLeft = false;

  const stdout = new Readable({
    highWaterMark: READ_AHEAD_BYTES,
    read: () => void connection.resume(),
  });
  stdout.on("error", () => {});
  const orders = openOrders(connection);
  const stdin = openInput(orders);
  stdin.on("error", () => {});
  connection.once("close", () => stdin.destroy());

  const finish = (how: typeof exit & {}): void => {
    exit = how;
    // The end of the output may not have arrived.
    if (how.why === "host" || how.why === "replaced") stdout.destroy();
    exiting.resolve({ code: how.code, signal: how.signal });
  };

  const attach = (bytes: Buffer): void => {
    try {
      const { log, logSize, ...attached } = parseAttached(bytes);
      ({ pid } = attached);
      if (log !== null && opening.do === "attach") history = readAgentLog(log, logSize);
      // What was said before comes before what is said now.
      for (const earlier of history?.output ?? []) stdout.push(earlier);
      attaching.resolve();
    } catch (error) {
      attaching.reject(error);
    }
  };

  const handle = ({ kind, bytes }: HostFrame): void => {
    switch (kind) {
      case FRAMES.attached:
        return attach(bytes);
      case FRAMES.output:
        if (!stdout.push(bytes)) connection.pause();
        return;
      case FRAMES.outputEnded:
        stdout.push(null);
        return;
      case FRAMES.stderr:
        tail.push(bytes);
        return onStderr(bytes);
      case FRAMES.ending:
        ending = parseExit(bytes).why;
        return;
      case FRAMES.replaced:
        return finish({ code: null, signal: null, why: "replaced" });
      case FRAMES.exited:
        return finish(parseExit(bytes));
      default:
    }
  };
  const frames = createFrameSplitter(handle, { inPieces: FRAMES.output });
  connection.on("data", frames.push);
  connection.on("error", (error) => attaching.reject(new HostGone(error.message)));
  connection.on("close", () => {
    attaching.reject(new HostGone("it closed the connection"));
    if (exit === null && pid !== 0 && !hasLeft) void outliveHost();
  });

  /** The host is gone, and its agents with it. */
  const outliveHost = async (): Promise<void> => {
    await sweepAgents(marker);
    finish({ code: null, signal: "SIGKILL", why: "host" });
  };

  orders.send(`${JSON.stringify(opening)}\n`);
  await attaching.promise;
  return {
    pid,
    stdin,
    stdout,
    stderr: () => tail.read(),
    signal: (name) =>
      orders.send(`${name === "SIGTERM" ? AGENT_ORDERS.terminate : AGENT_ORDERS.kill}\n`),
    exited: exiting.promise,
    get isGone() {
      return exit !== null;
    },
    host: {
      id,
      get history() {
        return history;
      },
      checkpoint: (checkpoint) =>
        orders.sendWithNext(`${AGENT_ORDERS.checkpoint}${JSON.stringify(checkpoint)}\n`),
      setFarewell: (line) => orders.send(`${AGENT_ORDERS.farewell}${line}\n`),
      keepNothing: () => void orders.send(`${AGENT_ORDERS.keepNothing}\n`),
      forget: () => {
        if (isForgotten) return;
        isForgotten = true;
        orders.send(`${AGENT_ORDERS.forget}\n`);
        connection.end();
      },
      leave: () => {
        hasLeft = true;
        orders.flush();
        connection.destroy();
      },
      get endedBy() {
        return exit?.why ?? ending;
      },
    },
  };
}

/** What the server tells the host about the agent. */
interface Orders {
  /** False if the host is gone. */
  send(lines: string, done?: () => void): boolean;
  /** In one piece with what is sent next, if that follows at once: the host is woken up only once. */
  sendWithNext(lines: string): void;
  flush(): void;
}

function openOrders(connection: Socket): Orders {
  let held = "";
  const send: Orders["send"] = (lines, done) => {
    if (!connection.writable) return false;
    connection.write(`${held}${lines}`, done);
    held = "";
    return true;
  };
  const flush = (): void => {
    if (held !== "") send("");
  };
  return {
    send,
    sendWithNext: (lines) => {
      if (held === "") setImmediate(flush);
      held += lines;
    },
    flush,
  };
}

/** Each write is one line for the agent. */
function openInput(orders: Orders): Writable {
  return new Writable({
    decodeStrings: false,
    write: (line: string | Buffer, _encoding, done) => {
      const isSent = orders.send(`${AGENT_ORDERS.input}${line.toString()}`, () => done());
      if (!isSent) done(new Error("the agent host is gone"));
    },
    final: (done) => {
      orders.send(`${AGENT_ORDERS.endInput}\n`);
      done();
    },
  });
}
