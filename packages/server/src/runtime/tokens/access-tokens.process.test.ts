import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { MAX_TOKENS, openAccessTokens, type AccessTokens } from "./access-tokens.ts";

const DAY_MS = 24 * 60 * 60_000;

describe.each(["sqlite", "postgres"] as const)("tokens on %s", (engine) => {
  let database: TestStore;
  let now: number;
  let ids: number;
  /** Two nodes on one database. */
  let here: AccessTokens;
  let there: AccessTokens;

  beforeAll(async () => {
    database = await openTestStore(engine);
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    now = Date.UTC(2026, 0, 31);
    ids = 0;
    const open = (): AccessTokens =>
      openAccessTokens({
        store: database.store,
        clock: () => now,
        newId: () => `t${(ids += 1)}`,
      });
    here = open();
    there = open();
  });
  afterEach(async () => {
    const { store } = database;
    for (const { id } of await store.listTokens()) await store.revokeToken({ id, at: 0 });
    await store.forgetTokens({ before: Number.MAX_SAFE_INTEGER });
  });

  const create = async (more: { expiresInMs?: number } = {}) => {
    const created = await here.create({
      name: "ci",
      scope: "send",
      sessionId: null,
      expiresInMs: null,
      ...more,
    });
    if (!created.ok) throw new Error(created.refusal.message);
    return created;
  };

  it("are random, and kept only as their digest", async () => {
    const [one, two] = [await create(), await create()];
    expect(one.secret).toMatch(/^hf_[\w-]{43}$/u);
    expect(one.secret).not.toBe(two.secret);
    const [stored] = await database.store.listTokens();
    expect(stored).toEqual({
      id: "t1",
      name: "ci",
      scope: "send",
      sessionId: null,
      digest: createHash("sha256").update(one.secret).digest("hex"),
      createdAt: now,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    });
  });

  it("are found by the whole token and nothing like it", async () => {
    const { secret, token } = await create();
    expect(await here.find(secret)).toEqual({
      id: "t1",
      name: "ci",
      scope: "send",
      sessionId: null,
      expiresAt: null,
    });
    const wrong = ["", secret.slice(0, -1), `${secret}x`, secret.toLowerCase(), token.digest];
    for (const guess of wrong) expect(await here.find(guess)).toBeNull();
  });

  it("are known on every node at once, and refused within five seconds of being revoked", async () => {
    const { secret, token } = await create();
    now += 300;
    expect(await there.find(secret)).toEqual({
      id: "t1",
      name: "ci",
      scope: "send",
      sessionId: null,
      expiresAt: null,
    });
    expect(await there.isGood(token.id)).toBe(true);
    expect(await here.revoke(token.id)).toMatchObject({
      ok: true,
      token: { id: token.id, revokedAt: now },
    });
    expect(await here.find(secret)).toBeNull();
    now += 5_000;
    expect([await there.find(secret), await there.isGood(token.id)]).toEqual([null, false]);
    expect(await here.revoke("nothing")).toMatchObject({
      ok: false,
      refusal: { code: "token_not_found" },
    });
  });

  it("expire", async () => {
    const { secret } = await create({ expiresInMs: DAY_MS });
    now += DAY_MS - 1;
    expect(await here.find(secret)).not.toBeNull();
    now += 1;
    expect(await here.find(secret)).toBeNull();
  });

  it("are rotated without a moment in which neither is accepted", async () => {
    const old = await create();
    const fresh = await create();
    expect(await here.find(old.secret)).not.toBeNull();
    await here.revoke(old.token.id);
    expect(await here.find(old.secret)).toBeNull();
    expect(await here.find(fresh.secret)).toEqual({
      id: "t2",
      name: "ci",
      scope: "send",
      sessionId: null,
      expiresAt: null,
    });
  });

  it("say when they were last used, to ten minutes", async () => {
    const { secret } = await create();
    const used = async (): Promise<number | null | undefined> =>
      (await database.store.listTokens())[0]?.lastUsedAt;
    const first = now;
    await here.find(secret);
    await expect.poll(used).toBe(first);
    now += 9 * 60_000;
    await here.find(secret);
    now += 60_000;
    await here.find(secret);
    await expect.poll(used).toBe(now);
  });

  it("that were revoked long ago are forgotten when another is made", async () => {
    const { token } = await create();
    await here.revoke(token.id);
    now += 91 * DAY_MS;
    await create();
    expect((await here.list()).map(({ id }) => id)).toEqual(["t2"]);
  });
});

describe("tokens", () => {
  it("are read again by a guess four times a second at most", async () => {
    let reads = 0;
    let now = 0;
    const tokens = openAccessTokens({
      store: {
        addToken: async () => "added",
        forgetTokens: async () => {},
        listTokens: async () => {
          reads += 1;
          return [];
        },
        markTokenUsed: async () => {},
        revokeToken: async () => {},
      },
      clock: () => now,
      newId: () => "t",
    });
    for (; now < 1_000; now += 1) await tokens.find(`guess ${now}`);
    expect(reads).toBe(4);
  });

  it("are no more than a thousand", async () => {
    const tokens = openAccessTokens({
      store: {
        addToken: async ({ limit }) => (limit > MAX_TOKENS ? "added" : "full"),
        forgetTokens: async () => {},
        listTokens: async () => [],
        markTokenUsed: async () => {},
        revokeToken: async () => {},
      },
      clock: () => 0,
      newId: () => "t",
    });
    expect(
      await tokens.create({ name: "n", scope: "read", sessionId: null, expiresInMs: null }),
    ).toMatchObject({
      ok: false,
      refusal: { code: "tokens_full" },
    });
  });
});
