import type { LoginPage } from "../../login.ts";
import { looseLabel, looseObject } from "../wire/loose.ts";

/** The page of an `elicitation/create` with a URL; null for other requests. Only web addresses are shown. */
export function parseLoginPage(params: unknown): LoginPage | null {
  const fields = looseObject(params);
  const url = looseLabel(fields?.["url"], 4096);
  if (fields?.["mode"] !== "url" || url === null || !/^https?:\/\//u.test(url)) return null;
  const message = looseLabel(fields["message"], 1000) ?? "Open this page to log in.";
  return { url, message, code: codeIn(message) };
}

/** A user code as in RFC 8628, such as `WDJB-MJHT`. */
function codeIn(message: string): string | null {
  return /(?<![\w-])[A-Z0-9]{3,10}(?:-[A-Z0-9]{3,10}){1,3}(?![\w-])/u.exec(message)?.[0] ?? null;
}
