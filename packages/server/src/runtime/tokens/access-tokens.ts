import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { cleanText } from "../../domain/clean-text.ts";
import type { Scope } from "../../domain/scope.ts";
import { isRevoked, isUsable } from "../../domain/token-rules.ts";
import type { AccessToken } from "../../storage/access-token.ts";
import type { Store } from "../../storage/store.ts";
import { refuse, type Reply } from "../reply.ts";

export type { AccessToken } from "../../storage/access-token.ts";

/** Who may use the API, besides whoever has the server's own token. */
export interface AccessTokens {
  /** Whether there are any that nobody has revoked. One that has expired counts: time alone opens nothing. */
  areInUse(): Promise<boolean>;
  /** The token this is, if it is one that may be used now. */
  find(secret: string): Promise<Pick<AccessToken, "id" | "name" | "scope"> | null>;
  /** Whether one that was found may still be used. */
  isGood(id: string): Promise<boolean>;
  /** `secret` is shown to whoever asked, and kept nowhere. */
  create(request: CreateToken): Promise<Reply<{ token: AccessToken; secret: string }>>;
  list(): Promise<readonly AccessToken[]>;
  revoke(id: string): Promise<Reply<{ token: AccessToken }>>;
}

export interface CreateToken {
  readonly name: string;
  readonly scope: Scope;
  /** Null: it is good until it is revoked. */
  readonly expiresInMs: number | null;
}

export interface AccessTokensOptions {
  readonly store: Pick<
    Store,
    "addToken" | "forgetTokens" | "listTokens" | "markTokenUsed" | "revokeToken"
  >;
  readonly clock: () => number;
  readonly newId: () => string;
  /** Whether the server's own token gives somebody all rights, whatever becomes of these. */
  readonly hasOtherAdmin?: boolean;
}

export const MAX_TOKENS = 1_000;
/** How old what is known of tokens may be: so long does one live on elsewhere that was revoked here. */
const KNOWN_FOR_MS = 2_000;
/** One that is not known may be new; it is looked up again, but not for everybody who guesses. */
const LOOK_AGAIN_MS = 250;
/** Whether a token is needed at all seldom changes: a database that does not answer is not waited for. */
const IN_USE_WITHIN_MS = 1_000;
const USE_NOTED_EVERY_MS = 10 * 60_000;
const REVOKED_KEPT_MS = 90 * 24 * 60 * 60_000;

export function openAccessTokens({
  store,
  clock,
  newId,
  hasOtherAdmin = false,
}: AccessTokensOptions): AccessTokens {
  const known = openKnown(() => store.listTokens(), clock);
  /** When a use was last written down, by token. */
  const noted = new Map<string, number>();

  let wereInUse: boolean | null = null;
  const readInUse = async (): Promise<boolean> =>
    (wereInUse = (await known.atMost(KNOWN_FOR_MS)).some((token) => !isRevoked(token)));

  const noteUse = ({ id, lastUsedAt }: AccessToken): void => {
    const now = clock();
    if (now - Math.max(noted.get(id) ?? 0, lastUsedAt ?? 0) < USE_NOTED_EVERY_MS) return;
    noted.set(id, now);
    // Nobody is refused because this could not be written.
    store.markTokenUsed({ id, at: now }).catch(() => noted.delete(id));
  };

  return {
    areInUse: async () => {
      if (wereInUse === null || known.isThere(KNOWN_FOR_MS)) return readInUse();
      // Where the database is away, what is asked says so itself: /readyz, for one.
      const late = pause(IN_USE_WITHIN_MS, wereInUse, { ref: false });
      return Promise.race([readInUse(), late]).catch(() => wereInUse ?? true);
    },
    find: async (secret) => {
      const digest = digestOf(secret);
      const among = (tokens: readonly AccessToken[]): AccessToken | undefined =>
        tokens.find((token) => isSame(token.digest, digest));
      const token =
        among(await known.atMost(KNOWN_FOR_MS)) ?? among(await known.atMost(LOOK_AGAIN_MS));
      if (token === undefined || !isUsable(token, clock())) return null;
      noteUse(token);
      return { id: token.id, name: token.name, scope: token.scope };
    },
    isGood: async (id) =>
      (await known.atMost(KNOWN_FOR_MS)).some(
        (token) => token.id === id && isUsable(token, clock()),
      ),
    create: async ({ name, scope, expiresInMs }) => {
      const secret = `hf_${randomBytes(32).toString("base64url")}`;
      const createdAt = clock();
      const token: AccessToken = {
        id: newId(),
        name: cleanText(name),
        scope,
        digest: digestOf(secret),
        createdAt,
        lastUsedAt: null,
        expiresAt: expiresInMs === null ? null : Math.round(createdAt + expiresInMs),
        revokedAt: null,
      };
      await store.forgetTokens({ before: createdAt - REVOKED_KEPT_MS });
      const added = await store.addToken({ token, limit: MAX_TOKENS, hasOtherAdmin });
      known.forget();
      switch (added) {
        case "added":
          return { ok: true, token, secret };
        case "full":
          return refuse("tokens_full", `There are ${MAX_TOKENS} tokens already.`);
        case "admin_first":
          return refuse(
            "admin_token_first",
            "The first token must have the scope admin: from then on every request needs a token, and only an admin can make more.",
          );
        default:
          return added satisfies never;
      }
    },
    list: () => store.listTokens(),
    revoke: async (id) => {
      const revoked = await store.revokeToken({ id, at: clock(), hasOtherAdmin });
      known.forget();
      if (revoked === "last_admin")
        return refuse(
          "last_admin_token",
          "This is the last admin token, and other tokens are in use. Make another admin token first, or revoke the others.",
        );
      const token = (await store.listTokens()).find((listed) => listed.id === id);
      if (token === undefined) return refuse("token_not_found", "There is no such token.");
      return { ok: true, token };
    },
  };
}

interface Reading {
  readonly at: number;
  readonly tokens: Promise<readonly AccessToken[]>;
  isOver: boolean;
}

/** What was read last, shared by all who ask until it is too old for one of them. */
function openKnown(read: () => Promise<readonly AccessToken[]>, clock: () => number) {
  let last: Reading | null = null;
  const forget = (): void => {
    last = null;
  };
  /** A clock that was set back must not keep what is old. */
  const isYoung = ({ at }: Reading, ageMs: number): boolean =>
    clock() >= at && clock() - at < ageMs;
  return {
    forget,
    /** Nobody has to wait for it. */
    isThere: (ageMs: number): boolean => last !== null && last.isOver && isYoung(last, ageMs),
    atMost: (ageMs: number): Promise<readonly AccessToken[]> => {
      if (last !== null && isYoung(last, ageMs)) return last.tokens;
      const reading: Reading = { at: clock(), tokens: read(), isOver: false };
      last = reading;
      reading.tokens.then(
        () => (reading.isOver = true),
        () => last === reading && forget(),
      );
      return reading.tokens;
    },
  };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
