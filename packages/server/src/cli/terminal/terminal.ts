/** The streams and signals of a command. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    setRawMode?(isRaw: boolean): unknown;
    destroy?(): unknown;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Events of the process: `SIGINT`, `SIGTERM`, `SIGHUP`, and `exit`, at which raw mode must end. */
  readonly signals: Signals;
}

export interface Output {
  readonly stream: NodeJS.WritableStream;
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** The current width; `WIDE` where the output is not a terminal. */
  readonly columns: () => number;
}

/** Calls back after a time and returns a function that cancels it. Tests pass their own. */
export type Later = (ms: number, callback: () => void) => () => void;

export const later: Later = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

export interface Signals {
  on(name: string, listener: () => void): unknown;
  off(name: string, listener: () => void): unknown;
}

/** For a terminal that does not report its width. */
const COLUMNS = 80;
/** Wider than any line. */
export const WIDE = 500;

export function terminalOf(
  process: Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env"> & Signals,
): Terminal {
  const { stdout, stderr, env } = process;
  return {
    // Node opens it only now, and most commands do not read it.
    get stdin() {
      return process.stdin;
    },
    stdout: outputOf(stdout, env),
    stderr: outputOf(stderr, env),
    signals: process,
  };
}

/** Whether a person can be asked: keys can be read, and the question is visible. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTerminal;
}

/** Follows FORCE_COLOR and NO_COLOR; without them, a terminal gets colour. */
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
