import { expect, it } from "vitest";
import { createFind, type Find, type FindState } from "./find.ts";
import { messageMaker, text } from "./testing/messages.ts";
import { createTranscript } from "./transcript-store.ts";

const messages = [
  ["m1", "The Build fails, the build!"],
  ["m2", "nothing"],
  ["m3", "a build"],
] as const;

const store = {
  search: (visit: (id: string, words: string) => void) => {
    for (const [id, words] of messages) visit(id, words);
  },
  earlier: createTranscript({ sessionId: "s" }).earlier,
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
  expect(find.current()).toEqual({ query: " BUILD ", hits, at: 2, isSearching: false });
  find.next();
  expect(find.current().at).toBe(0);
  find.previous();
  find.previous();
  expect(find.current().at).toBe(1);
  find.clear();
  expect(find.current()).toEqual({ query: "", hits: [], at: null, isSearching: false });
  expect(calls).toBe(5);
});

it("next does nothing without hits", () => {
  const find = createFind(store);
  find.findIn("elsewhere");
  find.next();
  expect(find.current()).toEqual({ query: "elsewhere", hits: [], at: null, isSearching: false });
  find.findIn("  ");
  expect(find.current().hits).toEqual([]);
});

it("also finds what is not loaded yet, and stays at its hit", async () => {
  const make = messageMaker();
  const all = ["a build", "nothing", "the build", "a build!"].map((each) =>
    make("user", text(each)),
  );
  const transcript = createTranscript({
    sessionId: "s",
    readEarlier: async (before) => ({
      messages: all.filter(({ seq }) => seq < before).slice(-1),
      decisions: [],
    }),
  });
  transcript.load({ messages: all.slice(2), suspensions: [], earlier: 2 });
  const find = createFind(transcript);
  find.findIn("build");
  find.previous();
  expect(find.current()).toMatchObject({ at: 0, isSearching: true });
  await until(find, ({ isSearching }) => !isSearching);
  expect(find.current().hits.map(({ messageId }) => messageId)).toEqual(["m1", "m3", "m4"]);
  expect(find.current().at).toBe(1);
});

function until(find: Find, condition: (state: FindState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    find.subscribe(() => {
      if (condition(find.current())) resolve();
    });
  });
}
