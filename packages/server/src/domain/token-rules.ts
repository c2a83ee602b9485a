/** The part of an API token that these rules look at. */
export interface TokenFacts {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export function isUsable({ expiresAt, revokedAt }: TokenFacts, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}
