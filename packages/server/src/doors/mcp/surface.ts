import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType,
  ServerContext,
  Tool as ListedTool,
} from "@modelcontextprotocol/server";
import type { TokenScope } from "@holdfast/protocol";
import type { z } from "zod";
import type { Caller } from "./caller.ts";

/** Everything that clients of MCP find on a server. */
export interface Surface {
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly resources: Resources;
  readonly prompts: readonly Prompt[];
  /**
   * Reads the `requestState` of a repeated call that a tool or a prompt of this surface gave out; a throw refuses the call.
   * Clients can change it. Without this function, such states are refused.
   */
  readonly readState?: (state: string, context: ServerContext) => unknown;
}

/** One request of a client. */
export interface Call {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly context: ServerContext;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Of `structuredContent`. */
  readonly output?: z.ZodObject;
  readonly annotations: ListedTool["annotations"];
  /** The least scope of a token that can use it. */
  readonly scope: TokenScope;
  /** Whether it is about all sessions, and so of no use to a token for one session. */
  readonly isForAll: boolean;
  /** Whether it works too long to be waited for. Clients that take no tasks are refused. */
  readonly needsTasks?: boolean;
  /** The arguments fit `input`. */
  call(args: unknown, call: Call): Promise<ToolOutcome>;
}

export type ToolOutcome = { readonly result: CallToolResult | InputRequiredResult } | RunOutcome;

/** A run that was started or asked for, whose end the caller wants. */
export class RunOutcome {
  readonly run: RunName;
  readonly waitMs: number;

  constructor(run: RunName, waitMs: number) {
    this.run = run;
    this.waitMs = waitMs;
  }
}

/** A run, and so a task. */
export interface RunName {
  readonly sessionId: string;
  readonly runId: string;
}

/** A tool whose arguments have the type of its schema. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool, "input" | "call"> & {
    readonly input: Input;
    readonly call: (
      args: z.output<Input>,
      call: Call,
    ) => Promise<CallToolResult | InputRequiredResult | RunOutcome>;
  },
): Tool {
  return {
    ...tool,
    async call(args, call) {
      const outcome = await tool.call(tool.input.parse(args), call);
      return outcome instanceof RunOutcome ? outcome : { result: outcome };
    },
  };
}

export interface Resources {
  readonly templates: readonly ResourceTemplateType[];
  list(cursor: string | undefined, call: Call): Promise<ResourcePage>;
  /** Null if there is none with this URI. */
  read(uri: string, call: Call): Promise<ReadResourceResult | null>;
  /** Calls `changed` with the URI of each resource that changes, and `listChanged`, until the signal aborts. */
  watch(caller: Caller, watcher: Watcher, signal: AbortSignal): Promise<void>;
}

export interface Watcher {
  changed(uri: string): void;
  listChanged(): void;
}

export type ResourcePage = Pick<ListResourcesResult, "resources" | "nextCursor">;

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  get(
    args: Readonly<Record<string, string>>,
    call: Call,
  ): Promise<GetPromptResult | InputRequiredResult>;
}
