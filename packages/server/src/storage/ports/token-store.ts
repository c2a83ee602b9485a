import type { Scope } from "../../domain/scope.ts";
import type { AccessTokenRow } from "../tables.ts";

export interface TokenStore {
  addToken(request: AddToken): Promise<TokenAdded>;
  /** All tokens that are not forgotten, oldest first, including revoked and expired ones. */
  listTokens(): Promise<readonly AccessToken[]>;
  /** A second revocation keeps the time of the first. */
  revokeToken(request: RevokeToken): Promise<void>;
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
}

export type TokenAdded = "added" | "full";

export interface RevokeToken {
  readonly id: string;
  readonly at: number;
}
