import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { cleanText } from "../../domain/clean-text.ts";
import type { Scope } from "../../domain/scope.ts";
import { isUsable } from "../../domain/token-rules.ts";
import type { AccessToken } from "../../storage/ports/token-store.ts";
import type { Store } from "../../storage/store.ts";
import { refuse, type Reply } from "../reply.ts";
import { cachedRead } from "./cached-read.ts";

export type { AccessToken } from "../../storage/ports/token-store.ts";

/** The tokens of the API, besides the server's own token. */
export interface AccessTokens {
  /** The usable token with this secret; null if there is none. */
  find(secret: string): Promise<FoundToken | null>;
  /** Whether the token is still usable. */
  isGood(id: string): Promise<boolean>;
  /** `secret` is returned once and never stored. */
  create(request: CreateToken): Promise<Reply<{ token: AccessToken; secret: string }>>;
  list(): Promise<readonly AccessToken[]>;
  revoke(id: string): Promise<Reply<{ token: AccessToken }>>;
}

export type FoundToken = Pick<AccessToken, "id" | "name" | "scope" | "sessionId" | "expiresAt">;

export interface CreateToken {
  readonly name: string;
  readonly scope: Scope;
  /** Null: it is for all sessions, and for everything else. */
  readonly sessionId: string | null;
  /** Null: it never expires. */
  readonly expiresInMs: number | null;
}

export interface AccessTokensOptions {
  readonly store: Pick<
    Store,
    "addToken" | "forgetTokens" | "listTokens" | "markTokenUsed" | "revokeToken"
  >;
  readonly clock: () => number;
  readonly newId: () => string;
}

export const MAX_TOKENS = 1_000;
/** Maximum age of the cached tokens. A token revoked on one node works on the others for this long. */
const CACHED_MS = 2_000;
/** An unknown token may be new, so the tokens are read again, but not for every guess. */
const UNKNOWN_CACHED_MS = 250;
const USE_NOTED_EVERY_MS = 10 * 60_000;
const REVOKED_KEPT_MS = 90 * 24 * 60 * 60_000;

export function openAccessTokens({ store, clock, newId }: AccessTokensOptions): AccessTokens {
  const cache = cachedRead(() => store.listTokens(), clock);
  /** The time of the last stored use, by token id. */
  const noted = new Map<string, number>();

  const noteUse = ({ id, lastUsedAt }: AccessToken): void => {
    const now = clock();
    if (now - Math.max(noted.get(id) ?? 0, lastUsedAt ?? 0) < USE_NOTED_EVERY_MS) return;
    noted.set(id, now);
    // A failed write does not refuse the request.
    store.markTokenUsed({ id, at: now }).catch(() => noted.delete(id));
  };

  return {
    find: async (secret) => {
      const digest = digestOf(secret);
      const among = (tokens: readonly AccessToken[]): AccessToken | undefined =>
        tokens.find((token) => isSame(token.digest, digest));
      const token =
        among(await cache.read(CACHED_MS)) ?? among(await cache.read(UNKNOWN_CACHED_MS));
      if (token === undefined || !isUsable(token, clock())) return null;
      noteUse(token);
      const { id, name, scope, sessionId, expiresAt } = token;
      return { id, name, scope, sessionId, expiresAt };
    },
    isGood: async (id) =>
      (await cache.read(CACHED_MS)).some((token) => token.id === id && isUsable(token, clock())),
    create: async ({ name, scope, sessionId, expiresInMs }) => {
      const secret = `hf_${randomBytes(32).toString("base64url")}`;
      const createdAt = clock();
      const token: AccessToken = {
        id: newId(),
        name: cleanText(name),
        scope,
        sessionId,
        digest: digestOf(secret),
        createdAt,
        lastUsedAt: null,
        expiresAt: expiresInMs === null ? null : Math.round(createdAt + expiresInMs),
        revokedAt: null,
      };
      await store.forgetTokens({ before: createdAt - REVOKED_KEPT_MS });
      const added = await store.addToken({ token, limit: MAX_TOKENS });
      cache.forget();
      if (added === "added") return { ok: true, token, secret };
      return refuse("tokens_full", `The limit of ${MAX_TOKENS} tokens is reached.`);
    },
    list: () => store.listTokens(),
    revoke: async (id) => {
      await store.revokeToken({ id, at: clock() });
      cache.forget();
      const token = (await store.listTokens()).find((listed) => listed.id === id);
      if (token === undefined) return refuse("token_not_found", "There is no such token.");
      return { ok: true, token };
    },
  };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
