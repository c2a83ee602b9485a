const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The address if a link may lead there; null for everything else, addresses inside this page included. */
export function safeUrl(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && SCHEMES.has(url.protocol) ? url.href : null;
}
