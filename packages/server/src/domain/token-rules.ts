import type { Scope } from "./scope.ts";

/** The part of an API token that these rules look at. */
export interface TokenFacts {
  readonly id: string;
  readonly scope: Scope;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export function isRevoked({ revokedAt }: Pick<TokenFacts, "revokedAt">): boolean {
  return revokedAt !== null;
}

export function isUsable(token: Pick<TokenFacts, "expiresAt" | "revokedAt">, now: number): boolean {
  return !isRevoked(token) && (token.expiresAt === null || now < token.expiresAt);
}

/** Every request needs a token once one exists. Therefore the first token must have the scope admin. */
export function mayAdd(
  tokens: readonly TokenFacts[],
  { scope, now }: { readonly scope: Scope; readonly now: number },
): boolean {
  return scope === "admin" || tokens.some((token) => isAdmin(token, now));
}

/** The last usable admin token cannot be revoked while other tokens exist that are not revoked, even expired ones. */
export function mayRevoke(
  tokens: readonly TokenFacts[],
  { id, now }: { readonly id: string; readonly now: number },
): boolean {
  const others = tokens.filter((token) => token.id !== id && !isRevoked(token));
  if (others.length === 0 || others.some((token) => isAdmin(token, now))) return true;
  return !tokens.some((token) => token.id === id && isAdmin(token, now));
}

function isAdmin(token: TokenFacts, now: number): boolean {
  return token.scope === "admin" && isUsable(token, now);
}
