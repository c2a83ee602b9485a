import type { AgentHostState, SandboxState } from "@holdfast/protocol";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawServerDefault,
} from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Limits } from "../runtime/context.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { AccessTokens } from "../runtime/tokens/access-tokens.ts";
import type { Browsers } from "../runtime/tokens/browsers.ts";
import type { AgentTokens } from "./guard/agent-token.ts";
import type { SignInCodes } from "./guard/sign-in-codes.ts";
import type { AnswerMcp } from "./wire/answer-mcp.ts";
import type { EditorDoor } from "./doors/editor-door.ts";
import type { McpDoor } from "./doors/mcp-door.ts";

/** The dependencies of the routes. The composition root creates them. */
export interface AppServices {
  readonly runtime: Runtime;
  readonly version: string;
  readonly startedAt: Date;
  /** Null turns authentication off. */
  readonly token: string | null;
  /** The API tokens, which can be created and revoked. */
  readonly tokens?: AccessTokens;
  /** The browsers that are signed in. Without them the page needs no sign-in. */
  readonly browsers?: Browsers;
  /** The codes with which browsers sign in. */
  readonly signInCodes?: SignInCodes;
  /** Without them the tools of agents get no access. */
  readonly agentTokens?: AgentTokens;
  /** Answers messages of MCP for the tools of agents. Without it they have no MCP server over HTTP. */
  readonly answerMcp?: AnswerMcp;
  /** Answers editors on `/acp`. Without it there is no such address. */
  readonly editorDoor?: EditorDoor;
  /** Answers orchestrators on `/mcp`. Without it there is no such address. */
  readonly mcpDoor?: McpDoor;
  /** The folder of the built web page; null serves no page. */
  readonly webFolder: string | null;
  /** The log of requests and failures: a pino logger, or a compatible one. */
  readonly logger?: FastifyBaseLogger;
  /** The configured limits; otherwise the defaults. */
  readonly limits?: Limits;
  /** The current state of the sandbox. Without it, agents run without a sandbox. */
  readonly sandbox?: () => SandboxState;
  /** The process that keeps agents alive. Without it, they end with the server. */
  readonly agentHost?: () => AgentHostState;
  /** The interval of the heartbeats of event streams. */
  readonly heartbeatMs?: number;
}

/**
 * A schema in the description of a route. It is created when the first request, or the documentation, needs it: creating all
 * of them would take a good part of the time of a start.
 */
export type LazySchema<Schema extends z.ZodType = z.ZodType> = () => Schema;

/** The types of requests and replies, from the schemas of their route. */
export interface RouteTypes extends FastifyTypeProvider {
  validator: this["schema"] extends LazySchema<infer Schema> ? z.output<Schema> : unknown;
  serializer: this["schema"] extends LazySchema<infer Schema> ? z.output<Schema> : unknown;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  RouteTypes
>;
