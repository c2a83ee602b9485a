import {
  healthSchema,
  readinessSchema,
  type AgentHostState,
  type SandboxState,
} from "@holdfast/protocol";
import { arch, platform } from "node:os";
import { LIMITS } from "../../runtime/context.ts";
import type { App, AppServices } from "../app.ts";
import { serverLimits } from "../server/server-limits.ts";

type Services = Pick<
  AppServices,
  "runtime" | "version" | "startedAt" | "token" | "limits" | "sandbox" | "agentHost"
>;

const NO_SANDBOX: SandboxState = {
  mode: "off",
  active: false,
  reason: "Agents run without a sandbox, with the rights of the server.",
};
export const NO_HOST: AgentHostState = { mode: "inside", pid: null, agents: 0 };
const PLATFORM = `Node ${process.version}, ${platform()} ${arch()}`;

export function addHealthRoutes(app: App, services: Services): void {
  const { runtime, version, startedAt, token } = services;
  const { limits = LIMITS, sandbox = () => NO_SANDBOX, agentHost = () => NO_HOST } = services;
  app.route({
    method: "GET",
    url: "/healthz",
    config: { isPublic: true },
    schema: {
      operationId: "getHealth",
      summary: "Check that the process is alive",
      tags: ["server"],
      response: { 200: () => healthSchema },
    },
    handler: async () => ({ status: "ok" as const, version }),
  });

  app.route({
    method: "GET",
    url: "/readyz",
    schema: {
      operationId: "getReadiness",
      summary: "Check that the server can handle requests",
      description:
        "Also returns the server's limits, and the state of the sandbox and of the agent host.",
      tags: ["server"],
      response: { 200: () => readinessSchema, 503: () => readinessSchema },
    },
    handler: async (_request, reply) => {
      const { ready, damage, ...rest } = await runtime.readiness();
      return reply.code(ready ? 200 : 503).send({
        status: ready ? "ready" : "unready",
        version,
        platform: PLATFORM,
        startedAt: startedAt.toISOString(),
        ...rest,
        damage: [...damage],
        limits: serverLimits(limits),
        auth: token === null ? ("none" as const) : ("token" as const),
        sandbox: sandbox(),
        agentHost: agentHost(),
      });
    },
  });
}
