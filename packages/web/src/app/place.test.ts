import { PHASES, STATES, STATUSES } from "@holdfast/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hrefOf, parsePlace, type Place } from "./place.ts";

const at = (href: string): Place | null => parsePlace(new URL(href, "http://localhost"));

const text = fc.string({ minLength: 1, unit: "grapheme" });
const listSearch = fc.record(
  {
    q: text,
    repo: text,
    status: fc.constantFrom(...STATUSES),
    state: fc.constantFrom(...STATES),
    phase: fc.constantFrom(...PHASES),
    provider: text,
    archived: fc.constant(true as const),
  },
  { requiredKeys: [] },
);
const pageSearch = fc.dictionary(
  text.filter((name) => name !== "__proto__"),
  text,
);
const places: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ page: fc.constant("list" as const), search: listSearch }),
  fc.record({
    page: fc.constantFrom("inbox", "analytics", "settings", "compare"),
    search: pageSearch,
  }),
  fc.record(
    { page: fc.constant("session" as const), id: text, search: pageSearch, hash: text },
    { requiredKeys: ["page", "id", "search"] },
  ),
);

describe("a place", () => {
  it("is parsed back from its URL", () => {
    fc.assert(
      fc.property(
        places.filter((place) => place.page !== "session" || !/^\.{1,2}$/u.test(place.id)),
        (place) => {
          expect(at(hrefOf(place))).toEqual(place);
        },
      ),
    );
  });

  it.each([
    [{ page: "list" }, "/"],
    [{ page: "list", search: { q: "a b", archived: true } }, "/?q=a+b&archived=1"],
    [{ page: "session", id: "s/1", hash: "m1" }, "/sessions/s%2F1#m1"],
    [{ page: "settings" }, "/settings"],
  ] as const)("has a readable URL", (place, href) => {
    expect(hrefOf(place)).toBe(href);
  });

  it.each(["/nothing", "/sessions", "/sessions/a/b", "/sessions/%E0%A4%A", "/inbox/x"])(
    "is null for %s",
    (href) => {
      expect(at(href)).toBeNull();
    },
  );

  it("ignores a slash at the end", () => {
    expect([at("/inbox/")?.page, at("/sessions/a/")?.page]).toEqual(["inbox", "session"]);
  });
});
