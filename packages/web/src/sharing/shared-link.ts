/** A link to one session for people without access to the server. Browsers do not send its token with the address. */
export interface SharedLink {
  readonly sessionId: string;
  readonly token: string;
  /** The message at which the page opens; null for the end. */
  readonly messageId: string | null;
}

const PATH = /^\/shared\/([\w-]+)\/?$/u;

export function sharedHref({ sessionId, token, messageId }: SharedLink): string {
  const message = messageId === null ? "" : `/${encodeURIComponent(messageId)}`;
  return `/shared/${encodeURIComponent(sessionId)}#${token}${message}`;
}

/** Null for every other address. */
export function parseSharedLink({
  pathname,
  hash,
}: Pick<Location, "pathname" | "hash">): SharedLink | null {
  const sessionId = PATH.exec(pathname)?.[1];
  if (sessionId === undefined) return null;
  const [, token = "", message = ""] = /^#?([^/]*)\/?(.*)$/u.exec(hash) ?? [];
  return { sessionId, token, messageId: message === "" ? null : decoded(message) };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
