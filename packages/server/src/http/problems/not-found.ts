import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AppServices } from "../app.ts";
import { toProblem } from "./problem-status.ts";
import { matchesRoute, pathOf } from "../wire/route-path.ts";
import { sendProblem } from "./send-problem.ts";
import { isPageAddress, sendPage } from "../server/web-page.ts";

/** Answers 405 if the path supports other methods, otherwise 404. Must be called before routes are added. */
export function addNotFound(
  app: FastifyInstance,
  { webFolder }: Pick<AppServices, "webFolder">,
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
      toProblem(
        "method_not_allowed",
        `${path} does not support ${request.method}. Supported methods: ${allowed}.`,
      ),
    );
  });
}
