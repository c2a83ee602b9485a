/** `holdfast://sessions/ID` is the session as data, `holdfast://sessions/ID/transcript` the conversation as text. */
const ROOT = "holdfast://sessions/";
const TRANSCRIPT = "/transcript";

export const TEMPLATES = {
  session: `${ROOT}{id}`,
  transcript: `${ROOT}{id}${TRANSCRIPT}`,
} as const;

export function sessionUri(id: string): string {
  return ROOT + encodeURIComponent(id);
}

export function transcriptUri(id: string): string {
  return sessionUri(id) + TRANSCRIPT;
}

/** Null if it is the URI of nothing here. */
export function parseUri(
  uri: string,
): { readonly kind: "session" | "transcript"; readonly id: string } | null {
  if (!uri.startsWith(ROOT)) return null;
  const rest = uri.slice(ROOT.length);
  const kind = rest.endsWith(TRANSCRIPT) ? "transcript" : "session";
  const id = decoded(kind === "transcript" ? rest.slice(0, -TRANSCRIPT.length) : rest);
  return id === null || id === "" || id.includes("/") ? null : { kind, id };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
