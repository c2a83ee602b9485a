import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** What the tools of a session's agent show to be let in: good for that session, while this process lives. */
export interface AgentTokens {
  of(sessionId: string): string;
  isFor(sessionId: string, token: string): boolean;
}

export function createAgentTokens(): AgentTokens {
  const key = randomBytes(32);
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const of = (sessionId: string): string => digest(sessionId).toString("base64url");
  return {
    of,
    // Digests again, so that a comparison tells nothing about lengths.
    isFor: (sessionId, token) => timingSafeEqual(digest(of(sessionId)), digest(token)),
  };
}
