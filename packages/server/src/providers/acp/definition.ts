/** An agent program that speaks ACP over stdio, as it is configured. */
export interface AcpDefinition {
  readonly name: string;
  readonly title: string;
  /** Program and arguments. `{workspace}` in an argument stands for the folder the agent works in. */
  readonly command: readonly string[];
  /** Given to this agent only. Its values count as secrets: they are kept out of the journal. */
  readonly env: Readonly<Record<string, string>>;
  /** The server's own variables this agent may see besides the ordinary ones, such as its API key. Secrets, too. */
  readonly passes: readonly string[];
  /** The server's variable that names the program in place of the first word of `command`. */
  readonly pathVariable: string | null;
  /** What it keeps of its own, such as logins and sessions, as it is to be seen in a sandbox: see `askedMounts`. */
  readonly mounts: readonly string[];
  /** How to get it, as a command to type. */
  readonly install: string | null;
  /** The permission mode to set after each start; null leaves the agent's own. */
  readonly mode: string | null;
  /** Whether it asks before it changes something, set up like this; null when nobody knows. */
  readonly asks: boolean | null;
  /** Models to offer before an agent has told us its own. */
  readonly models: readonly string[];
  /** The login to try when the agent asks for one. */
  readonly authMethod: string | null;
  /** Its commands run on after a cancel, so that the process must be ended with it. */
  readonly endsOnCancel: boolean;
  /** Whether it is given Holdfast's own tools. */
  readonly tools: boolean;
  /** Its own sessions can be loaded only when they are at least this old. */
  readonly loadableAfterMs: number;
}
