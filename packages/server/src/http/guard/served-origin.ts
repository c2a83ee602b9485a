import type { FastifyRequest } from "fastify";

type Headers = Pick<FastifyRequest, "headers">;

/** Whether a page of this origin came from this server. */
export function isServedOrigin(origin: string, request: Headers): boolean {
  const served = originOf(request);
  return (
    URL.canParse(origin) &&
    URL.canParse(served) &&
    new URL(origin).origin === new URL(served).origin
  );
}

/** The origin under which the client reached this server. */
export function originOf(request: Headers): string {
  return `${schemeOf(request)}://${request.headers.host ?? ""}`;
}

/** A proxy with TLS names its scheme. Pages of other sites cannot send this header without our permission. */
export function schemeOf({ headers }: Headers): "http" | "https" {
  const [forwarded = ""] = String(headers["x-forwarded-proto"] ?? "").split(",", 1);
  return forwarded.trim().toLowerCase() === "https" ? "https" : "http";
}
