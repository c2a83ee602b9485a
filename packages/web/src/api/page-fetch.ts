import type { AccessStore } from "./access.ts";

/** Every request of the page: with the token, and with an eye on whether it is still good. */
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

/** Such requests are finished even when the page is closed meanwhile; browsers allow no large ones. */
function isSmallWrite({ method = "GET", body = null }: RequestInit = {}): boolean {
  return method !== "GET" && (body === null || (typeof body === "string" && body.length < SMALL));
}
