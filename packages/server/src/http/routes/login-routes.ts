import {
  providerLoginSchema,
  providerParamsSchema,
  startLoginRequestSchema,
  type ProviderLogin,
} from "@holdfast/protocol";
import type { LoginProgress } from "../../runtime/runtime.ts";
import type { App, AppServices } from "../app.ts";
import { readProblems, writeProblems } from "../problems/problem-responses.ts";
import { sendRefusal } from "../problems/send-problem.ts";

/** Routes about the logins of agents. */
export function addLoginRoutes(app: App, { runtime }: Pick<AppServices, "runtime">): void {
  app.route({
    method: "POST",
    url: "/api/providers/:name/login",
    schema: {
      operationId: "startLogin",
      summary: "Log in to a provider, or report a login",
      description:
        "Without a method, somebody has logged in on the server's machine: all runs that wait for a login of this " +
        "provider go on. With a method that the agent does itself, the server starts the login. The reply then has the " +
        "page to open and the code to type there, which are never stored, and the runs go on after the login.",
      tags: ["providers"],
      params: () => providerParamsSchema,
      body: () => startLoginRequestSchema,
      response: {
        200: () => providerLoginSchema,
        ...writeProblems("login_unavailable", "provider_unknown", "server_stopping"),
      },
    },
    handler: async ({ params, body: { method = null } }, reply) => {
      const started = await runtime.logIn({ provider: params.name, method });
      if (!started.ok) return sendRefusal(reply, started);
      return reply.code(200).send(toWireLogin(started.login));
    },
  });

  app.route({
    method: "GET",
    url: "/api/providers/:name/login",
    schema: {
      operationId: "readLogin",
      summary: "Get the latest login that the server started",
      tags: ["providers"],
      params: () => providerParamsSchema,
      response: {
        200: () => providerLoginSchema,
        ...readProblems("login_unavailable", "provider_unknown"),
      },
    },
    handler: async ({ params }, reply) => {
      const read = await runtime.readLogin(params.name);
      if (!read.ok) return sendRefusal(reply, read);
      return reply.code(200).send(toWireLogin(read.login));
    },
  });

  app.route({
    method: "DELETE",
    url: "/api/providers/:name/login",
    schema: {
      operationId: "cancelLogin",
      summary: "Stop the login that the server started",
      tags: ["providers"],
      params: () => providerParamsSchema,
      response: {
        200: () => providerLoginSchema,
        ...writeProblems("login_unavailable", "provider_unknown"),
      },
    },
    handler: async ({ params }, reply) => {
      const stopped = await runtime.cancelLogin(params.name);
      if (!stopped.ok) return sendRefusal(reply, stopped);
      return reply.code(200).send(toWireLogin(stopped.login));
    },
  });

  app.route({
    method: "POST",
    url: "/api/providers/:name/logout",
    schema: {
      operationId: "logOut",
      summary: "Log out of a provider",
      description: "Asks an agent to remove its stored login. Keys in variables stay.",
      tags: ["providers"],
      params: () => providerParamsSchema,
      response: {
        200: () => providerLoginSchema,
        ...writeProblems("login_unavailable", "provider_unknown", "server_stopping"),
      },
    },
    handler: async ({ params }, reply) => {
      const loggedOut = await runtime.logOut(params.name);
      if (!loggedOut.ok) return sendRefusal(reply, loggedOut);
      return reply.code(200).send(toWireLogin(loggedOut.login));
    },
  });
}

export function toWireLogin(login: LoginProgress): ProviderLogin {
  const { state } = login;
  const nothing = { state, url: null, code: null, message: null, released: 0 };
  switch (state) {
    case "none":
    case "starting":
      return nothing;
    case "waiting":
      return { ...nothing, ...login.page };
    case "done":
      return { ...nothing, released: login.released };
    case "failed":
      return { ...nothing, message: login.message };
    default:
      return state satisfies never;
  }
}
