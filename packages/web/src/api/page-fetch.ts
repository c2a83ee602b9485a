import { BROWSER_KEY_HEADER } from "@holdfast/protocol";
import type { AccessStore } from "./access.ts";

/** Adds the browser's key to every request of the page, and notices when the server asks for a sign-in. */
export function createPageFetch({
  access,
  send,
}: {
  readonly access: AccessStore;
  readonly send: typeof fetch;
}): typeof fetch {
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
