import { expect, it } from "vitest";
import { createHighlighter, type HighlightWorker } from "./highlighter.ts";
import type { HighlightRequest } from "./highlight-messages.ts";

/** A worker that replies on demand. */
function scriptedWorker() {
  const requests: HighlightRequest[] = [];
  const worker: HighlightWorker = {
    postMessage: (request) => void requests.push(request),
    onmessage: null,
    terminate: () => void requests.splice(0),
  };
  const answer = (): void => {
    for (const request of requests.splice(0)) {
      if ("forget" in request) continue;
      const lines = request.lines.map((line) => [[line, "keyword"] as const]);
      const data = { code: request.code, from: request.from, lines };
      worker.onmessage?.({ data } as MessageEvent);
    }
  };
  return { requests, answer, open: () => worker };
}

it("highlights each line of growing code once", () => {
  const { requests, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  highlighter.read("a", "go", ["one"]);
  highlighter.read("a", "go", ["one", "two"]);
  highlighter.read("a", "go", ["one", "two"]);
  highlighter.read("a", "go", ["one"]);
  expect(requests).toEqual([
    { code: 1, grammar: "go", from: 0, lines: ["one"] },
    { code: 1, grammar: "go", from: 1, lines: ["two"] },
  ]);
  answer();
  expect(highlighter.known("a")).toEqual({
    source: ["one", "two"],
    lines: [[["one", "keyword"]], [["two", "keyword"]]],
  });
});

it("highlights changed code again and ignores old replies", () => {
  const { requests, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  let calls = 0;
  highlighter.subscribe("a", () => (calls += 1));
  highlighter.read("a", "go", ["one"]);
  highlighter.read("a", "go", ["other"]);
  expect(requests.filter((request) => "lines" in request).map(({ code }) => code)).toEqual([2, 3]);
  answer();
  expect(highlighter.known("a").lines).toEqual([[["other", "keyword"]]]);
  expect(calls).toBe(1);
});

it("forgets code that is no longer on the screen, and keeps the code that is", () => {
  const { requests, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  highlighter.subscribe("shown", () => undefined);
  for (let index = 0; index < 400; index += 1) {
    highlighter.read(index === 0 ? "shown" : `code ${index}`, "go", ["x"]);
  }
  expect(requests.filter((request) => "forget" in request)).toHaveLength(100);
  answer();
  expect(highlighter.known("shown").lines).toHaveLength(1);
  expect(highlighter.known("code 1").lines).toHaveLength(0);
  expect(highlighter.known("code 399").lines).toHaveLength(1);
});

it("highlights visible code again after it was closed", () => {
  const { requests, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  highlighter.read("a", "go", ["one"]);
  answer();
  highlighter.close();
  expect(highlighter.known("a").lines).toEqual([]);
  highlighter.read("a", "go", ["one"]);
  expect(requests).toHaveLength(1);
});

it("ignores a reply from before it was closed", () => {
  const { requests, answer, open } = scriptedWorker();
  const highlighter = createHighlighter(open);
  const worker = open();
  highlighter.read("a", "go", ["one"]);
  answer();
  const late = { code: 1, from: 1, lines: [[["two", "keyword"] as const]] };
  highlighter.close();
  worker.onmessage?.({ data: late } as MessageEvent);
  expect({ requests, known: highlighter.known("a").lines }).toEqual({ requests: [], known: [] });
});
