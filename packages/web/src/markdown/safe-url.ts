const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The URL if its scheme is allowed; null otherwise, also for relative URLs. */
export function safeUrl(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && SCHEMES.has(url.protocol) ? url.href : null;
}
