import type { JsonObject } from "../domain/json.ts";

/**
 * How a person logs in. `terminal`: with a program at the terminal. `agent`: the agent does it itself, and may name a page
 * and a code. `variable`: with a key in a variable.
 */
export type LoginWay = "terminal" | "agent" | "variable";

/** A way to log in that an agent offers. It is stored with a suspension and shown to people. */
export interface LoginMethod extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly how: LoginWay;
  /* Optional: `variables`, the names of the variables that must be set; `command`, the command that logs in. */
}

/** Who is logged in, as the agent reports it. */
export interface LoginStatus {
  /** `unknown`: no agent has reported it. */
  readonly state: "in" | "out" | "unknown";
  /** The account or the kind of key. */
  readonly label: string | null;
}

export const UNKNOWN_LOGIN: LoginStatus = { state: "unknown", label: null };

/** What a person needs to finish a login. It is never stored or logged. */
export interface LoginPage {
  readonly url: string;
  readonly message: string;
  /** The code to type on the page; null if the agent names none. */
  readonly code: string | null;
}

export interface StartLogin {
  readonly signal: AbortSignal;
  /** Called when the agent names a page. */
  readonly onPage: (page: LoginPage) => void;
  /** The program runs outside the sandbox, for a person at the terminal: a browser must reach it. */
  readonly isAtTerminal: boolean;
}

/** A program for the terminal. */
export interface TerminalProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An agent that was started only to log in or out. */
export interface LoginAgent {
  readonly methods: readonly LoginMethod[];
  readonly canLogOut: boolean;
  /** Whether it can log in with this method now: its variables are set. */
  isReady(methodId: string): boolean;
  /** The program of a method that is `terminal`. Throws an `AgentFault` if it is not installed. */
  programOf(methodId: string): TerminalProgram;
  /** Resolves when the login is done; throws an `AgentFault`. */
  logIn(methodId: string): Promise<void>;
  logOut(): Promise<void>;
  /** Waits a short time for the agent to report it. */
  status(): Promise<LoginStatus>;
  stop(): Promise<void>;
}
