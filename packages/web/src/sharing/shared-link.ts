/** A link to one session for people without access to the server. Browsers do not send its token with the address. */
export interface SharedLink {
  readonly sessionId: string;
  readonly token: string;
}

const PATH = /^\/shared\/([\w-]+)\/?$/u;

export function sharedHref({ sessionId, token }: SharedLink): string {
  return `/shared/${encodeURIComponent(sessionId)}#${token}`;
}

/** Null for every other address. */
export function parseSharedLink({
  pathname,
  hash,
}: Pick<Location, "pathname" | "hash">): SharedLink | null {
  const sessionId = PATH.exec(pathname)?.[1];
  return sessionId === undefined ? null : { sessionId, token: hash.slice(1) };
}
