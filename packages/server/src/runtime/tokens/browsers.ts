import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { cleanText } from "../../domain/clean-text.ts";
import type { Scope } from "../../domain/scope.ts";
import type { Browser } from "../../storage/ports/browser-store.ts";
import type { Store } from "../../storage/store.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { cachedRead } from "./cached-read.ts";

export type { Browser } from "../../storage/ports/browser-store.ts";

/**
 * The two secrets of a browser. Neither is of use without the other: servers on other ports of the same host get the
 * cookie, and scripts of the page can read the key.
 */
export interface BrowserSecrets {
  readonly cookie: string;
  readonly key: string;
}

/** The browsers that are signed in. They survive restarts of the server. */
export interface Browsers {
  /** The signed-in browser with these secrets; null if there is none. */
  find(secrets: BrowserSecrets): Promise<Browser | null>;
  /** Whether the browser is still signed in. */
  isGood(id: string): Promise<boolean>;
  signIn(request: SignIn): Promise<BrowserSecrets>;
  list(): Promise<readonly Browser[]>;
  /** Signs out one browser, or all if `id` is null. Returns how many. */
  signOut(id: string | null): Promise<number>;
}

export interface SignIn {
  readonly scope: Scope;
  /** The API token it signs in with. The browser is signed out when this token is revoked or expires. */
  readonly token: { readonly id: string; readonly name: string } | null;
  readonly userAgent: string;
}

export interface BrowsersOptions {
  readonly store: Pick<Store, "addBrowser" | "listBrowsers" | "markBrowserUsed" | "removeBrowsers">;
  readonly tokens: Pick<AccessTokens, "isGood">;
  readonly clock: () => number;
  readonly newId: () => string;
}

const MAX_BROWSERS = 200;
export const SIGNED_IN_MS = 400 * 24 * 60 * 60_000;
/** Maximum age of the cached rows. A browser that was signed out on one node works on the others for this long. */
const CACHED_MS = 2_000;
/** An unknown browser may be new, so the rows are read again, but not for every guess. */
const UNKNOWN_CACHED_MS = 250;
const USE_NOTED_EVERY_MS = 60 * 60_000;
const MAX_USER_AGENT = 300;

export function openBrowsers({ store, tokens, clock, newId }: BrowsersOptions): Browsers {
  const cache = cachedRead(() => store.listBrowsers(), clock);
  /** The time of the last stored use, by ID. */
  const noted = new Map<string, number>();

  const noteUse = ({ id, lastUsedAt }: Browser): void => {
    const now = clock();
    if (now - Math.max(noted.get(id) ?? 0, lastUsedAt) < USE_NOTED_EVERY_MS) return;
    noted.set(id, now);
    // A failed write does not refuse the request.
    store.markBrowserUsed({ id, at: now }).catch(() => noted.delete(id));
  };

  const isSignedIn = async ({ expiresAt, tokenId }: Browser): Promise<boolean> =>
    clock() < expiresAt && (tokenId === null || (await tokens.isGood(tokenId)));

  return {
    find: async (secrets) => {
      const digest = digestOf(secrets);
      const among = (browsers: readonly Browser[]): Browser | undefined =>
        browsers.find((browser) => isSame(browser.digest, digest));
      const browser =
        among(await cache.read(CACHED_MS)) ?? among(await cache.read(UNKNOWN_CACHED_MS));
      if (browser === undefined || !(await isSignedIn(browser))) return null;
      noteUse(browser);
      return browser;
    },
    isGood: async (id) => {
      const browser = (await cache.read(CACHED_MS)).find((each) => each.id === id);
      return browser !== undefined && isSignedIn(browser);
    },
    signIn: async ({ scope, token, userAgent }) => {
      const secrets = { cookie: newSecret(), key: newSecret() };
      const now = clock();
      const browser: Browser = {
        id: newId(),
        scope,
        tokenId: token?.id ?? null,
        tokenName: token?.name ?? null,
        userAgent: cleanText(userAgent).slice(0, MAX_USER_AGENT),
        digest: digestOf(secrets),
        createdAt: now,
        lastUsedAt: now,
        expiresAt: now + SIGNED_IN_MS,
      };
      await store.addBrowser({ browser, limit: MAX_BROWSERS });
      cache.forget();
      return secrets;
    },
    list: async () => {
      const browsers = await store.listBrowsers();
      const areSignedIn = await Promise.all(browsers.map(isSignedIn));
      return browsers.filter((_browser, index) => areSignedIn[index]);
    },
    signOut: async (id) => {
      const count = await store.removeBrowsers({ id });
      cache.forget();
      noted.clear();
      return count;
    },
  };
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function digestOf({ cookie, key }: BrowserSecrets): string {
  return createHash("sha256").update(`${cookie}.${key}`).digest("hex");
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
