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

export interface AddToken {
  readonly token: AccessToken;
  /** How many there may be. */
  readonly limit: number;
  /** Whether somebody has all rights by other means than these tokens. */
  readonly hasOtherAdmin: boolean;
}

/** `admin_first`: without an admin token, no other can be added. */
export type TokenAdded = "added" | "full" | "admin_first";

export interface RevokeToken {
  readonly id: string;
  readonly at: number;
  readonly hasOtherAdmin: boolean;
}

/** `last_admin`: others are left, and none of them is an admin's. */
export type TokenRevoked = "revoked" | "missing" | "last_admin";
