import { expect, it } from "vitest";
import { createFind } from "./find.ts";

const messages = [
  ["m1", "The Build fails, the build!"],
  ["m2", "nothing"],
  ["m3", "a build"],
] as const;

const store = {
  search: (visit: (id: string, words: string) => void) => {
    for (const [id, words] of messages) visit(id, words);
  },
};

it("finds hits in all messages and starts at the newest", () => {
  const find = createFind(store);
  let calls = 0;
  find.subscribe(() => (calls += 1));
  find.findIn(" BUILD ");
  const hits = [
    { messageId: "m1", index: 0 },
    { messageId: "m1", index: 1 },
    { messageId: "m3", index: 0 },
  ];
  expect(find.current()).toEqual({ query: " BUILD ", hits, at: 2 });
  find.next();
  expect(find.current().at).toBe(0);
  find.previous();
  find.previous();
  expect(find.current().at).toBe(1);
  find.clear();
  expect(find.current()).toEqual({ query: "", hits: [], at: null });
  expect(calls).toBe(5);
});

it("next does nothing without hits", () => {
  const find = createFind(store);
  find.findIn("elsewhere");
  find.next();
  expect(find.current()).toEqual({ query: "elsewhere", hits: [], at: null });
  find.findIn("  ");
  expect(find.current().hits).toEqual([]);
});
