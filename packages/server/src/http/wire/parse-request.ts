import type { FastifyInstance } from "fastify";
import { cleanJson, cleanText } from "../../domain/clean-text.ts";

/** A repeated parameter becomes a list. No schema accepts one, so the request is refused. */
export function parseQuery(text: string): Record<string, string | readonly string[]> {
  if (text === "") return {};
  const parameters = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name).map(cleanText);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

/** Accepts only JSON, except in routes with parsers of their own. An empty body is no body. */
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
