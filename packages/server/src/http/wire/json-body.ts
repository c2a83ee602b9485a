import type { FastifyInstance } from "fastify";
import { cleanJson } from "../../domain/clean-text.ts";

/** JSON is the only body, but for routes that say otherwise; none is the same as an empty one. */
export function addJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return void parse(request, String(body), (error, value: unknown) => {
      if (error !== null) return done(new InvalidBody("The body is not JSON."));
      const cleaned = cleanJson(value);
      if (cleaned.ok) return done(null, cleaned.value);
      return done(new InvalidBody("The body is nested too deeply."));
    });
  });
}

class InvalidBody extends Error {
  readonly code = "invalid_request";
}
