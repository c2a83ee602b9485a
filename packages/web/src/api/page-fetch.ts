import type { AccessStore } from "./access.ts";

/** Adds the token to every request of the page, and notices when the server rejects it. */
export function createPageFetch({
  access,
  send,
}: {
  readonly access: AccessStore;
  readonly send: typeof fetch;
}): typeof fetch {
  return async (input, init) => {
    const { token } = access.current();
    const headers = new Headers(init?.headers);
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    const response = await send(input, { ...init, headers, keepalive: isSmallWrite(init) });
    if (response.status === 401 && access.current().token === token) access.refuse();
    return response;
  };
}

const SMALL = 4_096;

/** Small writes complete even when the page is closed; browsers do not allow that for large ones. */
function isSmallWrite({ method = "GET", body = null }: RequestInit = {}): boolean {
  return method !== "GET" && (body === null || (typeof body === "string" && body.length < SMALL));
}
