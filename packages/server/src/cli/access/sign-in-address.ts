/** The code is in the fragment, which browsers send to no server. */
export function signInAddress(url: string, { code }: { readonly code: string }): string {
  return `${url}/#code=${encodeURIComponent(code)}`;
}
