import type { Command } from "../acp/process/spawn-agent.ts";
import type { Marker } from "../acp/process/agent-environment.ts";
import type { AgentFaultCode } from "../provider.ts";

/*
 * What a server and an agent host say to each other, over a Unix socket in the data folder.
 *
 * A connection begins with one line of JSON from the server, the `Opening`. The connection that attends the host goes on
 * with lines of JSON in both directions. The connection of an agent goes on with lines from the server, whose first
 * character is an `AgentOrder`, and with frames from the host (`frames.ts`).
 */

/** Changes when an older host would not understand. `attend` and `end` must stay as they are in all versions. */
export const HOST_PROTOCOL = 1;

export type Opening =
  | { readonly do: "attend"; readonly protocol: number }
  | { readonly do: "start"; readonly agent: StartHosted }
  | { readonly do: "attach"; readonly id: string };

/** What a server says while it attends the host. */
export type HostOrder =
  /** Agents end if no server attends the host for so long. */
  | { readonly do: "settings"; readonly unattendedMs: number }
  /** Agents end after so long, even if a server attends the host, unless this is repeated. Null: never. */
  | { readonly do: "keep"; readonly ms: number | null }
  /** The host exits as soon as it has no agent. `agents`: it ends them at once. */
  | { readonly do: "end"; readonly agents: boolean };

/** The reply to `attend`. */
export interface HostState {
  readonly protocol: number;
  /** The version of Holdfast that started the host. */
  readonly version: string;
  readonly pid: number;
  readonly agents: readonly HostedAgentState[];
}

export interface HostedAgentState {
  readonly id: string;
  readonly isAlive: boolean;
}

export interface StartHosted {
  readonly id: string;
  readonly about: AboutAgent;
  readonly command: Command;
  readonly isEnclosed: boolean;
  /** For the agent; null if it is that of the host. */
  readonly umask: number | null;
  readonly workspace: HostedFolder;
  readonly directories: readonly HostedFolder[];
}

/** For a server that finds the agent later. */
export interface AboutAgent {
  readonly sessionId: string;
  readonly provider: string;
  readonly marker: Marker;
}

/** A folder, and where a process of the same user finds the descriptor of the server that has it open. */
export interface HostedFolder {
  readonly path: string;
  readonly descriptor: string | null;
}

/** The first character of a line from the server about an agent. */
export const AGENT_ORDERS = {
  /** The rest of the line is for the agent. */
  input: ">",
  /** The rest is a `Checkpoint`. */
  checkpoint: "#",
  /** The agent's input has ended. */
  endInput: ".",
  terminate: "T",
  kill: "K",
  /** The agent gets a secret of a person: nothing that it gets or says may be on disk any more. */
  keepNothing: "!",
  /** The rest is a line that the agent gets before it is ended because nobody came. */
  farewell: "~",
  /** The server has stored all that the agent said. The host may forget the agent, which has exited. */
  forget: "-",
} as const;

/** The server needs nothing of the agent's output before `offset`, and the note to go on from there. */
export interface Checkpoint {
  readonly offset: number;
  readonly note: unknown;
}

/** What the host sends about an agent. */
export const FRAMES = {
  /** JSON: `Attached` or a `HostFault`. Always the first frame. */
  attached: 0x41,
  output: 0x4f,
  outputEnded: 0x43,
  stderr: 0x45,
  /** JSON: the `why` of a `HostedExit`. The host ends the agent, which may still say something. */
  ending: 0x46,
  /** Another server has taken the agent up. The last frame. */
  replaced: 0x52,
  /** JSON: `HostedExit`. The last frame. */
  exited: 0x58,
} as const;

export interface Attached {
  readonly ok: true;
  readonly pid: number;
  /** The file with what was said since the last checkpoint; null if there is none. */
  readonly log: string | null;
  /** The length of the log when the connection was attached. Everything after it is sent. */
  readonly logSize: number;
}

export interface HostFault {
  readonly ok: false;
  readonly code: AgentFaultCode;
  readonly message: string;
  readonly isPassing: boolean;
}

export interface HostedExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly why: EndedBy;
}

/** `host`: the host ended it. `unattended`: because no server came. `lease`: because its node had lost its lease. */
export type EndedBy = "itself" | "unattended" | "lease" | "host";
