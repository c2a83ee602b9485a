export interface LinkedPage {
  readonly href: string;
  /** As the browser connects to it: without user name, and with the ASCII form of other letters. */
  readonly host: string;
  readonly isEncrypted: boolean;
}

/** The web page of a URL; null for other addresses, such as `javascript:`. */
export function pageOf(url: string): LinkedPage | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return null;
  return { href, host, isEncrypted: protocol === "https:" };
}
