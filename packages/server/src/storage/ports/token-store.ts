import type { Scope } from "../../domain/scope.ts";
import type { AccessTokenRow } from "../tables.ts";

export interface TokenStore {
  addToken(request: AddToken): Promise<TokenAdded>;
  /** All tokens that are not forgotten, oldest first, including revoked and expired ones. */
  listTokens(): Promise<readonly AccessToken[]>;
  revokeToken(request: RevokeToken): Promise<TokenRevoked>;
  markTokenUsed(use: { readonly id: string; readonly at: number }): Promise<void>;
  /** Removes tokens that were revoked before this time. */
  forgetTokens(query: { readonly before: number }): Promise<void>;
}

/** A stored token: the row does not reveal the token itself. */
export type AccessToken = Readonly<Omit<AccessTokenRow, "scope">> & { readonly scope: Scope };

export interface AddToken {
  readonly token: AccessToken;
  /** Maximum number of tokens. */
  readonly limit: number;
  /** Whether an administrator exists apart from these tokens. */
  readonly hasOtherAdmin: boolean;
}

/** `admin_first`: the first token must have the scope admin. */
export type TokenAdded = "added" | "full" | "admin_first";

export interface RevokeToken {
  readonly id: string;
  readonly at: number;
  readonly hasOtherAdmin: boolean;
}

/** `last_admin`: tokens would remain, none of them with the scope admin. */
export type TokenRevoked = "revoked" | "missing" | "last_admin";
