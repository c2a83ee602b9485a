import { BROWSER_KEY_HEADER } from "@holdfast/protocol";
import type { AccessStore } from "./access.ts";

/**
 * Adds the browser's key to every request of the page, and notices when the server asks for a sign-in. A page with a
 * token of its own sends that instead, also where the browser is signed in.
 */
export function createPageFetch({
  access,
  token = null,
  send,
}: {
  readonly access: AccessStore;
  readonly token?: string | null;
  readonly send: typeof fetch;
}): typeof fetch {
  if (token !== null)
    return (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${token}`);
      return send(input, { ...init, headers, credentials: "omit" });
    };
  return async (input, init) => {
    const { key } = access.current();
    const headers = new Headers(init?.headers);
    if (key !== null) headers.set(BROWSER_KEY_HEADER, key);
    const response = await send(input, { ...init, headers, keepalive: isSmallWrite(init) });
    if (response.status === 401 && access.current().key === key) access.refuse();
    return response;
  };
}

const SMALL = 4_096;

/** Small writes complete even when the page is closed; browsers do not allow that for large ones. */
function isSmallWrite({ method = "GET", body = null }: RequestInit = {}): boolean {
  return method !== "GET" && (body === null || (typeof body === "string" && body.length < SMALL));
}
