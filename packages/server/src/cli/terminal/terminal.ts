/** What a command talks to: where it reads, where it writes, and what is known of both. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    setRawMode?(isRaw: boolean): unknown;
    destroy?(): unknown;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Of the process: `SIGINT`, `SIGTERM`, `SIGHUP`, and `exit`, when keys must be given back. */
  readonly signals: Signals;
}

export interface Output {
  readonly stream: NodeJS.WritableStream;
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** As wide as it is now, which may change; wider than any line where it is no terminal. */
  readonly columns: () => number;
}

export interface Signals {
  on(name: string, listener: () => void): unknown;
  off(name: string, listener: () => void): unknown;
}

/** Of a terminal that does not say how many it has. */
const COLUMNS = 80;
export const WIDE = 500;

export function terminalOf(
  process: Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env"> & Signals,
): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return {
    stdin,
    stdout: outputOf(stdout, env),
    stderr: outputOf(stderr, env),
    signals: process,
  };
}

/** Whether a person can be asked: keys come in, and what is asked is seen. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTerminal;
}

/** By the usual variables; without them, wherever it is a terminal that can. */
export function wantsColour(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return isTerminal && term !== "dumb";
}

function outputOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  const isTerminal = stream.isTTY === true;
  return {
    stream,
    isTerminal,
    colour: wantsColour(isTerminal, env),
    columns: () => (isTerminal ? stream.columns || COLUMNS : WIDE),
  };
}
