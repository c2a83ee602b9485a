import { describe, expect, it } from "vitest";
import type { AccessToken } from "../../ports/token-store.ts";
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

/** Another admin exists, so these tokens do not matter. */
const free = { limit: 10, hasOtherAdmin: true };
/** No other admin exists. */
const strict = { limit: 10, hasOtherAdmin: false };

export function tokensContract(open: OpenTestStore): void {
  describe("tokens", () => {
    it("are stored unchanged and listed oldest first", async () => {
      await withStore(open, async ({ store }) => {
        expect(await store.listTokens()).toEqual([]);
        const later = token("later", { createdAt: NOON + 1, scope: "admin", expiresAt: NOON * 2 });
        expect(await store.addToken({ token: later, ...free })).toBe("added");
        expect(await store.addToken({ token: token("first"), ...free })).toBe("added");
        expect(await store.listTokens()).toEqual([token("first"), later]);
        await expect(
          store.addToken({ token: token("other", { digest: later.digest }), ...free }),
        ).rejects.toMatchObject({ code: "constraint_broken" });
      });
    });

    it("are limited in number", async () => {
      await withStore(open, async ({ store }) => {
        expect(await store.addToken({ token: token("one"), ...free, limit: 1 })).toBe("added");
        expect(await store.addToken({ token: token("two"), ...free, limit: 1 })).toBe("full");
        expect(await store.listTokens()).toEqual([token("one")]);
      });
    });

    it("are revoked once, and forgotten later", async () => {
      await withStore(open, async ({ store }) => {
        await store.addToken({ token: token("kept"), ...free });
        await store.addToken({ token: token("gone"), ...free });
        expect(await store.revokeToken({ id: "gone", at: NOON + 5, hasOtherAdmin: true })).toBe(
          "revoked",
        );
        expect(await store.revokeToken({ id: "gone", at: NOON + 9, hasOtherAdmin: true })).toBe(
          "revoked",
        );
        expect(await store.revokeToken({ id: "none", at: NOON, hasOtherAdmin: true })).toBe(
          "missing",
        );
        const revoked = token("gone", { revokedAt: NOON + 5 });
        expect(await store.listTokens()).toEqual([revoked, token("kept")]);
        await store.forgetTokens({ before: NOON + 5 });
        expect(await store.listTokens()).toEqual([revoked, token("kept")]);
        await store.forgetTokens({ before: NOON + 6 });
        expect(await store.listTokens()).toEqual([token("kept")]);
      });
    });

    it("begin with one of an admin, unless another admin exists", async () => {
      await withStore(open, async ({ store }) => {
        const [reader, admin] = [token("reader"), token("admin", { scope: "admin" })];
        const expired = token("expired", { scope: "admin", expiresAt: NOON });
        expect(await store.addToken({ token: reader, ...strict })).toBe("admin_first");
        expect(await store.addToken({ token: expired, ...strict })).toBe("added");
        expect(await store.addToken({ token: reader, ...strict })).toBe("admin_first");
        expect(await store.addToken({ token: admin, ...strict })).toBe("added");
        expect(await store.addToken({ token: reader, ...strict })).toBe("added");
      });
    });

    it("keep one of an admin as long as others exist, even with concurrent revocations", async () => {
      await withStore(open, async ({ store }) => {
        const ids = ["one", "two", "three"];
        for (const id of ids)
          await store.addToken({ token: token(id, { scope: "admin" }), ...strict });
        await store.addToken({ token: token("reader"), ...strict });
        const revoke = (id: string) =>
          store.revokeToken({ id, at: NOON + 1, hasOtherAdmin: false });
        const revoked = await Promise.all(ids.map(revoke));
        expect(revoked.toSorted()).toEqual(["last_admin", "revoked", "revoked"]);
        const isLeft = ({ revokedAt }: AccessToken): boolean => revokedAt === null;
        const left = (await store.listTokens()).filter(isLeft).map(({ id }) => id);
        expect(left).toHaveLength(2);
        expect(await revoke("reader")).toBe("revoked");
        const [last = ""] = left.filter((id) => id !== "reader");
        expect(await revoke(last)).toBe("revoked");
        expect((await store.listTokens()).filter(isLeft)).toEqual([]);
      });
    });

    it("have the time of their last use", async () => {
      await withStore(open, async ({ store }) => {
        await store.addToken({ token: token("used"), ...free });
        await store.markTokenUsed({ id: "used", at: NOON + 3 });
        expect(await store.listTokens()).toEqual([token("used", { lastUsedAt: NOON + 3 })]);
      });
    });
  });
}
