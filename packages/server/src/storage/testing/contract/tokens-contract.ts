import { describe, expect, it } from "vitest";
import type { AccessToken } from "../../access-token.ts";
import { NOON } from "../session-driver.ts";
import { withStore, type OpenTestStore } from "./shared-store.ts";

function token(id: string, more: Partial<AccessToken> = {}): AccessToken {
  return {
    id,
    name: `of ${id}`,
    scope: "read",
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
    it("are kept as they were made, first made first", async () => {
      await withStore(open, async ({ store }) => {
        expect(await store.listTokens()).toEqual([]);
        const later = token("later", { createdAt: NOON + 1, scope: "admin", expiresAt: NOON * 2 });
        expect(await store.addToken({ token: later, limit })).toBe(true);
        expect(await store.addToken({ token: token("first"), limit })).toBe(true);
        expect(await store.listTokens()).toEqual([token("first"), later]);
        await expect(
          store.addToken({ token: token("other", { digest: later.digest }), limit }),
        ).rejects.toMatchObject({ code: "constraint_broken" });
      });
    });

    it("are no more than there may be", async () => {
      await withStore(open, async ({ store }) => {
        expect(await store.addToken({ token: token("one"), limit: 1 })).toBe(true);
        expect(await store.addToken({ token: token("two"), limit: 1 })).toBe(false);
        expect(await store.listTokens()).toEqual([token("one")]);
      });
    });

    it("are revoked once, and forgotten some time after", async () => {
      await withStore(open, async ({ store }) => {
        await store.addToken({ token: token("kept"), limit });
        await store.addToken({ token: token("gone"), limit });
        expect(await store.revokeToken({ id: "gone", at: NOON + 5 })).toBe(true);
        expect(await store.revokeToken({ id: "gone", at: NOON + 9 })).toBe(true);
        expect(await store.revokeToken({ id: "none", at: NOON })).toBe(false);
        const revoked = token("gone", { revokedAt: NOON + 5 });
        expect(await store.listTokens()).toEqual([revoked, token("kept")]);
        await store.forgetTokens({ before: NOON + 5 });
        expect(await store.listTokens()).toEqual([revoked, token("kept")]);
        await store.forgetTokens({ before: NOON + 6 });
        expect(await store.listTokens()).toEqual([token("kept")]);
      });
    });

    it("know when they were used", async () => {
      await withStore(open, async ({ store }) => {
        await store.addToken({ token: token("used"), limit });
        await store.markTokenUsed({ id: "used", at: NOON + 3 });
        expect(await store.listTokens()).toEqual([token("used", { lastUsedAt: NOON + 3 })]);
      });
    });
  });
}
