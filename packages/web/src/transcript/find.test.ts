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

it("hits are found in all messages, and gone through from the newest on", () => {
  const find = createFind(store);
  let told = 0;
  find.subscribe(() => (told += 1));
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
  expect(told).toBe(5);
});

it("where nothing is found there is nowhere to go", () => {
  const find = createFind(store);
  find.findIn("elsewhere");
  find.next();
  expect(find.current()).toEqual({ query: "elsewhere", hits: [], at: null });
  find.findIn("  ");
  expect(find.current().hits).toEqual([]);
});
