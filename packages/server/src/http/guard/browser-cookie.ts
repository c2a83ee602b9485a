import { BROWSER_KEY_HEADER } from "@holdfast/protocol";
import type { FastifyRequest } from "fastify";
import { SIGNED_IN_MS, type BrowserSecrets } from "../../runtime/tokens/browsers.ts";
import { schemeOf } from "./served-origin.ts";

type Headers = Pick<FastifyRequest, "headers">;

/** The secrets of a browser in the request; null unless both are there. */
export function browserSecretsOf(request: Headers): BrowserSecrets | null {
  const key = request.headers[BROWSER_KEY_HEADER];
  const start = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const cookie = pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
  return typeof key === "string" && cookie !== undefined ? { cookie, key } : null;
}

/** Scripts cannot read it, and other sites cannot make a browser send it. */
export function browserCookie(request: Headers, secret: string): string {
  return cookieText(request, { value: secret, maxAge: Math.floor(SIGNED_IN_MS / 1_000) });
}

/** Removes the cookie. */
export function noCookie(request: Headers): string {
  return cookieText(request, { value: "", maxAge: 0 });
}

function cookieText(
  request: Headers,
  { value, maxAge }: { readonly value: string; readonly maxAge: number },
): string {
  const secure = schemeOf(request) === "https" ? "; Secure" : "";
  return `${cookieName(request)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}

/** Cookies are shared by all ports of a host, so servers on different ports need different names. */
function cookieName({ headers }: Headers): string {
  const port = /:(?<port>\d+)$/u.exec(headers.host ?? "")?.groups?.["port"];
  return port === undefined ? "holdfast" : `holdfast_${port}`;
}
