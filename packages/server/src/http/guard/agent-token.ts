import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The tokens of the tools of agents. Each is valid for one session, as long as the key is the same. */
export interface AgentTokens {
  of(sessionId: string): string;
  isFor(sessionId: string, token: string): boolean;
}

/** `key` (default: a new one) must be the same for all servers that serve the same agents. */
export function createAgentTokens(key: Buffer = randomBytes(32)): AgentTokens {
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const of = (sessionId: string): string => digest(sessionId).toString("base64url");
  return {
    of,
    // Digests have equal lengths, so that a comparison reveals nothing about the token's length.
    isFor: (sessionId, token) => timingSafeEqual(digest(of(sessionId)), digest(token)),
  };
}
