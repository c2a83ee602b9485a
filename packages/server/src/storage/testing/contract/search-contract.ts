import { describe, expect, it } from "vitest";
import type { SearchHit, SessionQuery } from "../../ports/session-store.ts";
import { opening, type SessionDriver } from "../session-driver.ts";
import { sharedStore, type OpenTestStore } from "./shared-store.ts";

/** Search for sessions. Both databases return the same results. */
export function searchContract(open: OpenTestStore): void {
  describe("a search for words", () => {
    const shared = sharedStore(open);

    async function found(
      search: string,
      filter: Omit<Partial<SessionQuery>, "after"> = {},
    ): Promise<readonly string[]> {
      const page = await shared.store.listSessions({ search, limit: 100, ...filter });
      expect(page.total).toBe(page.sessions.length);
      return page.sessions.map(({ id }) => id).toSorted();
    }

    const ids = (...sessions: readonly SessionDriver[]) => sessions.map(({ id }) => id).toSorted();

    it("finds the title, the purpose and the agent's name, from their beginnings", async () => {
      const session = await shared.begin({
        title: "Migrate database",
        purpose: "Nightly cleanup",
        agentName: "hopper",
      });
      const other = await shared.begin({ title: "Migratory birds" });
      expect(await found("database")).toEqual(ids(session));
      expect(await found("nightly")).toEqual(ids(session));
      expect(await found("hopp")).toEqual(ids(session));
      expect(await found("migrat")).toEqual(ids(session, other));
      expect(await found("migrate")).toEqual(ids(session));
      expect(await found("igrate")).toEqual([]);
    });

    it("requires every word, in any order, in one document", async () => {
      const session = await shared.begin({ title: "quick brown fox", purpose: "jumps" });
      await session.run("over the lazy dog");
      expect(await found("fox quick")).toEqual(ids(session));
      expect(await found("brown jumps")).toEqual(ids(session));
      expect(await found("lazy over")).toEqual(ids(session));
      expect(await found("quick lazy")).toEqual([]);
      expect(await found("quick wolf")).toEqual([]);
    });

    it("finds messages: of the user, complete ones of the agent, and tool calls", async () => {
      const session = await shared.begin();
      const sent = await session.run("Please refactor frobnicate.");
      await session.claim();
      const id = `answer-${session.id}`;
      await session.put(sent, opening(id), { put: "text", messageId: id, text: "The frobni" });
      expect(await found("frobnicate")).toEqual(ids(session));
      expect(await found("zebrafish")).toEqual([]);
      await session.put(sent, { put: "text", messageId: id, text: "cator is a zebrafish" });
      await session.put(sent, { put: "end", messageId: id });
      expect(await found("frobnicator zebrafish")).toEqual(ids(session));
      const content = {
        type: "tool",
        tool: "grep",
        args: { pattern: "quokka" },
        result: ["src/wombat.ts:12"],
      };
      await session.put(sent, {
        put: "message",
        message: { id: `tool-${session.id}`, role: "agent", content },
        complete: true,
      });
      expect(await found("quokka wombat")).toEqual(ids(session));
      await session.put(sent, opening(`cut-${session.id}`, "axolotl"));
      expect(await found("axolotl")).toEqual([]);
      await session.end(sent);
      expect(await found("axolotl")).toEqual(ids(session));
    });

    it("finds only the new title after a change", async () => {
      const session = await shared.begin({ title: "Before", purpose: "constantly" });
      await session.perform({ type: "update", changes: { title: "Afterwards" } });
      expect(await found("before")).toEqual([]);
      expect(await found("afterwards constantly")).toEqual(ids(session));
      await session.perform({ type: "update", changes: { title: null } });
      expect(await found("afterwards")).toEqual([]);
      expect(await found("constantly")).toEqual(ids(session));
    });

    it("ignores case, accents and the composition of letters", async () => {
      const session = await shared.begin({
        title: "Crème BRÛLÉE, naïve façade, ÅNGSTRÖM, ΣΊΣΥΦΟΣ, ﬁnal, İstanbul",
      });
      const words = [
        "creme",
        "CRÈME",
        "brulee",
        "naive",
        "facade",
        "angstrom",
        "A\u030Angstro\u0308m",
        "final",
        "istanbul",
      ];
      for (const word of [...words, "σισυφος", "ΣΙΣΥΦΟΣ", "ΣΙΣ"]) {
        expect({ word, found: await found(word) }).toEqual({ word, found: ids(session) });
      }
    });

    it("finds words in other scripts from their beginnings, and numbers", async () => {
      const session = await shared.begin({
        title: "東京タワー를 방문 Привет مرحبا हिन्दी 𞤀𞤣𞤤𞤢𞤥 𠮷野家 2026 v1",
      });
      for (const word of [
        "東京",
        "방문",
        "привет",
        "مرحبا",
        "हिन्",
        "𞤀𞤣𞤤",
        "𠮷野",
        "2026",
        "20",
        "v1",
      ]) {
        expect({ word, found: await found(word) }).toEqual({ word, found: ids(session) });
      }
    });

    it("splits words at punctuation: paths, hosts and code are found by their parts", async () => {
      const session = await shared.begin();
      await session.run(
        "See packages/server/src/parse.ts and https://example.org:8080/alpha_beta?c=d&e=%20 or foo->bar()",
      );
      for (const words of [
        "server parse",
        "parse.ts",
        "example.org",
        "8080",
        "alpha_beta",
        "foo->bar",
        "packages/server/src",
      ]) {
        expect({ words, found: await found(words) }).toEqual({ words, found: ids(session) });
      }
    });

    it("treats quotes and operators as plain text", async () => {
      const session = await shared.begin({ title: "plumbus grumbo" });
      const hits = [
        `"plumbus"`,
        `'plumbus'`,
        `"plumbus`,
        `plumbus"`,
        `plumbus*`,
        `^plumbus`,
        `-plumbus`,
        `!plumbus`,
        `plumbus & grumbo`,
        `plumbus | grumbo`,
        `plumbus <-> grumbo`,
        `plumbus:* grumbo`,
        `(plumbus) {grumbo}`,
        `plumbus''; --`,
        `plumbus\\`,
        `%plumbus%`,
        `plumbus + grumbo`,
        `plumbus\u0000grumbo`,
        `plumbus 🎉`,
      ];
      for (const search of hits) {
        expect({ search, found: await found(search) }).toEqual({ search, found: ids(session) });
      }
      const misses = [
        `plumbus OR nothing`,
        `plumbus AND NOT grumbo`,
        `NEAR(plumbus grumbo, 2)`,
        `words:plumbus`,
        `plumbus'; drop table "AgentSession"; --`,
        `plumbus" OR "x" MATCH "`,
        `plumbus:ABCD`,
      ];
      for (const search of misses) {
        expect({ search, found: await found(search) }).toEqual({ search, found: [] });
      }
    });

    it("for nothing finds nothing", async () => {
      for (const search of [
        "",
        "   ",
        `"`,
        "'",
        "*",
        ":*",
        "&|!()",
        "\\",
        "🎉",
        "\u0000",
        "\uD800",
      ]) {
        expect({ search, found: await found(search) }).toEqual({ search, found: [] });
      }
    });

    it("combines with every other filter, and with pages", async () => {
      const sessions = await Promise.all(
        Array.from({ length: 5 }, (_, n) => shared.begin({ title: "paginated", at: 5000 + n })),
      );
      await sessions[0]?.perform({ type: "archive" });
      expect(await found("paginated", { statuses: ["active"] })).toEqual(ids(...sessions.slice(1)));
      expect(await found("paginated", { statuses: ["archived", "error"] })).toEqual(
        ids(...sessions.slice(0, 1)),
      );
      const first = await shared.store.listSessions({ search: "paginated", limit: 2 });
      expect(first.total).toBe(5);
      const rest = await shared.store.listSessions({
        search: "paginated",
        limit: 10,
        ...(first.next !== null && { after: first.next }),
      });
      const pages = [...first.sessions, ...rest.sessions].map(({ id }) => id);
      expect(pages).toEqual(sessions.map(({ id }) => id).toReversed());
    });

    it("finds long words and huge messages by their beginning", async () => {
      const session = await shared.begin();
      const word = "x".repeat(500);
      await session.run(`first ${word} ${"filler ".repeat(20_000)} last`);
      expect(await found(word)).toEqual(ids(session));
      expect(await found("xxxxxxxxxx")).toEqual(ids(session));
      expect(await found("first filler")).toEqual(ids(session));
    });

    async function hits(search: string): Promise<readonly SearchHit[]> {
      return (await shared.store.listSessions({ search, limit: 100 })).hits;
    }

    it("shows the newest matching message of each session, and the positions of the words", async () => {
      const [session, other] = [await shared.begin(), await shared.begin({ title: "narwhal" })];
      await session.end(await session.run("An early narwhal of the arctic, once."));
      const later = await session.run("The NARWHALS\n\nof the Ärctic sea.");
      const unrelated = await other.run("No such animal.");
      expect(await hits("arctic narwhal")).toEqual([
        {
          sessionId: session.id,
          messageId: later.messageId,
          role: "user",
          type: "text",
          excerpt: {
            text: "The NARWHALS of the Ärctic sea.",
            marks: [
              { start: 4, end: 11 },
              { start: 20, end: 26 },
            ],
          },
        },
      ]);
      expect((await hits("narwhal")).map(({ messageId }) => messageId)).toEqual([later.messageId]);
      expect(await hits("animal")).toMatchObject([{ messageId: unrelated.messageId }]);
      expect(await hits("")).toEqual([]);
      expect((await shared.store.listSessions({ limit: 100 })).hits).toEqual([]);
    });

    it("prefers texts to tool calls and notices", async () => {
      const session = await shared.begin();
      const sent = await session.run("Look for the pangolin.");
      await session.claim();
      await session.put(sent, {
        put: "message",
        message: {
          id: `tool-${session.id}`,
          role: "system",
          content: {
            type: "tool",
            tool: "grep",
            args: { pattern: "pangolin okapi" },
            result: null,
          },
        },
        complete: true,
      });
      expect(await hits("pangolin")).toMatchObject([{ messageId: sent.messageId, role: "user" }]);
      expect(await hits("okapi")).toEqual([
        {
          sessionId: session.id,
          messageId: `tool-${session.id}`,
          role: "system",
          type: "tool",
          excerpt: { text: "grep pangolin okapi", marks: [{ start: 14, end: 19 }] },
        },
      ]);
    });

    it("shows at most 240 characters of a message, and nothing of a huge one", async () => {
      const [long, huge] = [await shared.begin(), await shared.begin()];
      await long.run(`${"before ".repeat(1_000)}tapir${" after".repeat(1_000)}`);
      const sent = await huge.run(`tapir ${"x".repeat(200_000)}`);
      const [found, other] = [long, huge].map(async ({ id }) =>
        (await hits("tapir")).find(({ sessionId }) => sessionId === id),
      );
      const excerpt = (await found)?.excerpt ?? { text: "", marks: [] };
      expect(excerpt.text).toMatch(/^…before (before )+tapir( after)+…$/u);
      expect(excerpt.text.length).toBeGreaterThan(200);
      expect(excerpt.text.length).toBeLessThanOrEqual(240);
      expect(excerpt.marks.map(({ start, end }) => excerpt.text.slice(start, end))).toEqual([
        "tapir",
      ]);
      expect(await other).toEqual({
        sessionId: huge.id,
        messageId: sent.messageId,
        role: "user",
        type: null,
        excerpt: { text: "", marks: [] },
      });
    });

    it("finds nothing of a deleted session", async () => {
      const session = await shared.begin({ title: "ephemeral" });
      await session.run("ephemeral words");
      expect(await found("ephemeral")).toEqual(ids(session));
      await session.perform({ type: "delete" });
      expect(await found("ephemeral")).toEqual([]);
      const again = await shared.begin({ title: "ephemeral" });
      expect(await found("ephemeral")).toEqual(ids(again));
    });
  });
}
