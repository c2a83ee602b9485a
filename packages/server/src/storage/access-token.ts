import type { Scope } from "../domain/scope.ts";

/** A token as it is kept: who has the row does not have the token. */
export interface AccessToken {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** The SHA-256 of the token, in hex. */
  readonly digest: string;
  readonly createdAt: number;
  /** Roughly: not every use is written down. */
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}
