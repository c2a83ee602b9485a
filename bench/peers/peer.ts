import type { FirstRequest } from "../floor/contender.ts";
import type { Headers } from "../floor/raw-http.ts";

/** A program in the comparison, with its own data. One file of this folder tells how each is used. */
export interface Peer {
  /** The head of its column. */
  readonly name: string;
  /** How its text becomes visible: piece by piece, or all pieces of a turn at its end. */
  readonly shows: "pieces" | "turns";
  /** Whether a client gets tens of thousands of pieces that its agent writes at once. */
  readonly takesFlood: boolean;
  /** Starts it on its data. The first request is sent again and again until it succeeds. */
  start(first: "session" | "health"): Promise<PeerServer>;
}

export interface PeerServer {
  readonly url: string;
  /** Time from the start of the process until the first request succeeded. */
  readonly answeredMs: number;
  readonly headers: Headers;
  readonly pid: number;
  /** CPU time of the server and its helper processes. The agent counts only where it is a part of them. */
  cpuMs(): Promise<number>;
  /** Creates a session, as cheaply as the program can. */
  newSession(): FirstRequest;
  /** Creates a session that can get messages. */
  open(): Promise<string>;
  /** Makes a session of an earlier start ready for messages. */
  reopen(id: string): Promise<void>;
  /** Ends its agent, if each session has one. */
  close(id: string): Promise<void>;
  message(id: string, text: string): FirstRequest;
  /** Path of the event stream that shows a session. */
  events(id: string): string;
  /** What a server-sent event of that stream says about the session. */
  read(event: string, id: string): Seen;
  /** The newest 50 messages. */
  lastMessages(id: string): Promise<FirstRequest>;
  /** A history that contains all text of a session with few messages. */
  history(id: string): FirstRequest;
  /** SIGKILL to the server alone. */
  kill(): Promise<void>;
  /** Ends all that it has started. */
  stop(): Promise<void>;
}

/** New text of the agent, the end of its turn, or something else. */
export type Seen = "text" | "end" | null;

/** Of a long conversation. */
export const LAST_MESSAGES = 50;

/** Of a program whose agent is a part of it, and asks a model. */
export interface ModelPeerOptions {
  readonly name: string;
  readonly program: string;
  readonly folder: string;
  /** URL of the fake model. */
  readonly model: string;
}
