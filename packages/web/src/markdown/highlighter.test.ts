import { expect, it } from "vitest";
import { createHighlighter, type HighlightWorker } from "./highlighter.ts";
import type { HighlightRequest } from "./highlight-messages.ts";

/** Answers when told to, as a worker would. */
function scriptedWorker() {
  const asked: HighlightRequest[] = [];
  const worker: HighlightWorker = {
    postMessage: (request) => void asked.push(request),
    onmessage: null,
    terminate: () => void asked.splice(0),
  };
  const answer = (): void => {
    for (const request of asked.splice(0)) {
      if ("forget" in request) continue;
      const lines = request.lines.map((line) => [[line, "keyword"] as const]);
      const data = { code: request.code, from: request.from, lines };
      worker.onmessage?.({ data } as MessageEvent);
    }
  };
  return { asked, answer, open: () => worker };
}

it("each line of growing code is read once", () => {
  const { asked, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  highlighter.read("a", { grammar: "go", lines: ["one"] });
  highlighter.read("a", { grammar: "go", lines: ["one", "two"] });
  highlighter.read("a", { grammar: "go", lines: ["one", "two"] });
  highlighter.read("a", { grammar: "go", lines: ["one"] });
  expect(asked).toEqual([
    { code: 1, grammar: "go", from: 0, lines: ["one"] },
    { code: 1, grammar: "go", from: 1, lines: ["two"] },
  ]);
  answer();
  expect(highlighter.known("a")).toEqual({
    source: ["one", "two"],
    lines: [[["one", "keyword"]], [["two", "keyword"]]],
  });
});

it("code that became other code is read anew, and old answers do not count", () => {
  const { asked, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  let told = 0;
  highlighter.subscribe("a", () => (told += 1));
  highlighter.read("a", { grammar: "go", lines: ["one"] });
  highlighter.read("a", { grammar: "go", lines: ["other"] });
  expect(asked.filter((request) => "lines" in request).map(({ code }) => code)).toEqual([2, 3]);
  answer();
  expect(highlighter.known("a").lines).toEqual([[["other", "keyword"]]]);
  expect(told).toBe(1);
});

it("what is no longer shown is forgotten at last, what is shown is not", () => {
  const { asked, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  highlighter.subscribe("shown", () => undefined);
  for (let index = 0; index < 400; index += 1) {
    highlighter.read(index === 0 ? "shown" : `code ${index}`, { grammar: "go", lines: ["x"] });
  }
  expect(asked.filter((request) => "forget" in request)).toHaveLength(100);
  answer();
  expect(highlighter.known("shown").lines).toHaveLength(1);
  expect(highlighter.known("code 1").lines).toHaveLength(0);
  expect(highlighter.known("code 399").lines).toHaveLength(1);
});

it("after it was closed, code that is still shown is read again", () => {
  const { asked, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  highlighter.read("a", { grammar: "go", lines: ["one"] });
  answer();
  highlighter.close();
  expect(highlighter.known("a").lines).toEqual([]);
  highlighter.read("a", { grammar: "go", lines: ["one"] });
  expect(asked).toHaveLength(1);
});

it("an answer from before it was closed does not count", () => {
  const { asked, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  const worker = open();
  highlighter.read("a", { grammar: "go", lines: ["one"] });
  answer();
  const late = { code: 1, from: 1, lines: [[["two", "keyword"] as const]] };
  highlighter.close();
  worker.onmessage?.({ data: late } as MessageEvent);
  expect({ asked, known: highlighter.known("a").lines }).toEqual({ asked: [], known: [] });
});
