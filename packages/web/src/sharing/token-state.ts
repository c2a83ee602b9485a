import type { Token } from "@holdfast/protocol";

/** Whether the server accepts the token. */
export function isUsable(
  { revokedAt, expiresAt }: Pick<Token, "revokedAt" | "expiresAt">,
  nowMs: number,
): boolean {
  return revokedAt === null && (expiresAt === null || nowMs < Date.parse(expiresAt));
}
