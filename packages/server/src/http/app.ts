import type { SandboxState } from "@holdfast/protocol";
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limits } from "../runtime/context.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { AccessTokens } from "../runtime/tokens/access-tokens.ts";
import type { AgentTokens } from "./guard/agent-token.ts";

/** What the routes are made of; put together in the composition root. */
export interface AppServices {
  readonly runtime: Runtime;
  readonly version: string;
  readonly startedAt: Date;
  readonly token: string | null;
  /** Lets commands on the server's own data folder do everything. */
  readonly localToken?: string;
  /** Those that can be made and revoked; without them there is only the one above. */
  readonly tokens?: AccessTokens;
  /** Without them no tool of an agent is let in. */
  readonly agentTokens?: AgentTokens;
  /** The folder of the built web page, or null to serve none. */
  readonly webFolder: string | null;
  /** Where requests and failures are logged: a pino logger, or one like it. Without it, nowhere. */
  readonly logger?: FastifyBaseLogger;
  /** What is configured; what is usual unless given. */
  readonly limits?: Limits;
  /** Whether agents are started in a sandbox, as it is at the moment; without it, they are not. */
  readonly sandbox?: () => SandboxState;
  /** How often open event streams show that they live. */
  readonly heartbeatMs?: number;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;
