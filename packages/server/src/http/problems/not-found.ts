import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { toProblem } from "./problem-status.ts";
import { matchesRoute, pathOf } from "../wire/route-path.ts";
import { sendProblem } from "./send-problem.ts";
import { isPageAddress, sendPage } from "../server/web-page.ts";

/** Answers 405 where another method would have been right, 404 elsewhere. To be added before any route. */
export function addNotFound(
  app: FastifyInstance,
  { webFolder }: { readonly webFolder: string | null },
): void {
  const routes: { readonly pattern: string; readonly methods: readonly string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    routes.push({ pattern: url, methods: [method].flat() });
  });
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.url);
    const methods = routes.flatMap((route) =>
      matchesRoute(route.pattern, path) ? route.methods : [],
    );
    if (methods.length === 0 || methods.includes(request.method)) {
      if (webFolder !== null && isPageAddress(request)) return sendPage(reply, webFolder);
      return sendProblem(reply, toProblem("not_found", `There is nothing at ${path}.`));
    }
    const heads = methods.includes("GET") ? ["HEAD"] : [];
    const allowed = [...new Set([...methods, ...heads])].toSorted().join(", ");
    return sendProblem(
      reply.header("allow", allowed),
      toProblem("method_not_allowed", `${path} does not take ${request.method}, but ${allowed}.`),
    );
  });
}
