import type { AgentOffer } from "../../../domain/settings/agent-offer.ts";
import { describe, expect, it } from "vitest";
import type { Browser } from "../../ports/browser-store.ts";
import type { AccessToken } from "../../ports/token-store.ts";
import { NOON } from "../session-driver.ts";
import { withStore, type OpenTestStore } from "./shared-store.ts";

function token(id: string, more: Partial<AccessToken> = {}): AccessToken {
  return {
    id,
    name: `of ${id}`,
    scope: "read",
    sessionId: null,
    digest: `digest of ${id}`,
    createdAt: NOON,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    ...more,
  };
}

const limit = 10;

export function tokensContract(open: OpenTestStore): void {
  describe("tokens", () => {
    it("are stored unchanged and listed oldest first", async () => {
      await withStore(open, async ({ store }) => {
        expect(await store.listTokens()).toEqual([]);
        const later = token("later", { createdAt: NOON + 1, sessionId: "s1", expiresAt: NOON * 2 });
        expect(await store.addToken({ token: later, limit })).toBe("added");
        expect(await store.addToken({ token: token("first"), limit })).toBe("added");
        expect(await store.listTokens()).toEqual([token("first"), later]);
        await expect(
          store.addToken({ token: token("other", { digest: later.digest }), limit }),
        ).rejects.toMatchObject({ code: "constraint_broken" });
      });
    });

    it("are limited in number", async () => {
      await withStore(open, async ({ store }) => {
        expect(await store.addToken({ token: token("one"), limit: 1 })).toBe("added");
        expect(await store.addToken({ token: token("two"), limit: 1 })).toBe("full");
        expect(await store.listTokens()).toEqual([token("one")]);
      });
    });

    it("are revoked once, and forgotten later", async () => {
      await withStore(open, async ({ store }) => {
        await store.addToken({ token: token("kept"), limit });
        await store.addToken({ token: token("gone"), limit });
        await store.revokeToken({ id: "gone", at: NOON + 5 });
        await store.revokeToken({ id: "gone", at: NOON + 9 });
        await store.revokeToken({ id: "none", at: NOON });
        const revoked = token("gone", { revokedAt: NOON + 5 });
        expect(await store.listTokens()).toEqual([revoked, token("kept")]);
        await store.forgetTokens({ before: NOON + 5 });
        expect(await store.listTokens()).toEqual([revoked, token("kept")]);
        await store.forgetTokens({ before: NOON + 6 });
        expect(await store.listTokens()).toEqual([token("kept")]);
      });
    });

    it("have the time of their last use", async () => {
      await withStore(open, async ({ store }) => {
        await store.addToken({ token: token("used"), limit });
        await store.markTokenUsed({ id: "used", at: NOON + 3 });
        expect(await store.listTokens()).toEqual([token("used", { lastUsedAt: NOON + 3 })]);
      });
    });
  });

  describe("browsers", () => {
    const browser = (id: string, more: Partial<Browser> = {}): Browser => ({
      id,
      scope: "admin",
      tokenId: null,
      tokenName: null,
      userAgent: "a browser",
      digest: `digest of ${id}`,
      createdAt: NOON,
      lastUsedAt: NOON,
      expiresAt: NOON * 2,
      ...more,
    });

    it("are stored unchanged, listed oldest first, and removed one by one or all", async () => {
      await withStore(open, async ({ store }) => {
        const later = browser("later", { createdAt: NOON + 1, tokenId: "t", tokenName: "ci" });
        await store.addBrowser({ browser: later, limit });
        await store.addBrowser({ browser: browser("first"), limit });
        expect(await store.listBrowsers()).toEqual([browser("first"), later]);
        expect(await store.removeBrowsers({ id: "none" })).toBe(0);
        expect(await store.removeBrowsers({ id: "first" })).toBe(1);
        expect(await store.listBrowsers()).toEqual([later]);
        await store.addBrowser({ browser: browser("third"), limit });
        expect(await store.removeBrowsers({ id: null })).toBe(2);
        expect(await store.listBrowsers()).toEqual([]);
      });
    });

    it("make room for a new one: the expired go, then the least recently used", async () => {
      await withStore(open, async ({ store }) => {
        const add = (each: Browser): Promise<void> => store.addBrowser({ browser: each, limit: 2 });
        await add(browser("expired", { expiresAt: NOON + 1 }));
        await add(browser("a", { createdAt: NOON + 1 }));
        await add(browser("b", { createdAt: NOON + 1 }));
        await store.markBrowserUsed({ id: "a", at: NOON + 5 });
        await add(browser("c", { createdAt: NOON + 2 }));
        expect(await store.listBrowsers()).toEqual([
          browser("a", { createdAt: NOON + 1, lastUsedAt: NOON + 5 }),
          browser("c", { createdAt: NOON + 2 }),
        ]);
      });
    });
  });
  describe("offers of providers", () => {
    const offer = (name: string): AgentOffer => ({
      options: [
        {
          id: "mode",
          name: "Mode",
          description: null,
          category: "mode",
          type: "select",
          value: "ask",
          choices: [{ id: "ask", name: "Ask ✓", description: "It asks" }],
        },
        {
          id: "fast",
          name: "Fast",
          description: "Faster",
          category: null,
          type: "boolean",
          value: false,
          choices: [],
        },
      ],
      commands: [{ name, description: "A command", hint: null }],
    });

    it("D3 are stored unchanged, replaced by newer ones, and the oldest make room", async () => {
      await withStore(open, async ({ store }) => {
        const keep = (provider: string, at: number, name = provider): Promise<void> =>
          store.keepOffer({ provider, offer: offer(name), at, limit: 2 });
        await keep("b", NOON);
        await keep("a", NOON + 1);
        expect(await store.listOffers()).toEqual([
          { provider: "a", offer: offer("a"), at: NOON + 1 },
          { provider: "b", offer: offer("b"), at: NOON },
        ]);
        await keep("b", NOON + 2, "new");
        await keep("c", NOON + 3);
        expect(await store.listOffers()).toEqual([
          { provider: "b", offer: offer("new"), at: NOON + 2 },
          { provider: "c", offer: offer("c"), at: NOON + 3 },
        ]);
      });
    });
  });
}
