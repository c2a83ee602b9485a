import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { understand, type Wish } from "./understand.ts";

describe("plain words", () => {
  it.each<[string, Wish]>([
    ["Hello!", { wish: "explain" }],
    ["Wie geht es dir?", { wish: "explain" }],
    ["/help", { wish: "explain" }],
    ["/unknown", { wish: "explain" }],
    ["make a plan", { wish: "plan" }],
    ["read src/main.ts", { wish: "read", path: "src/main.ts" }],
    ["Show me README.md.", { wish: "read", path: "README.md" }],
    ["look at the repository", { wish: "read", path: null }],
    ["/read", { wish: "read", path: null }],
    ["edit something", { wish: "edit", note: "edit something" }],
    ["write a note: buy milk", { wish: "edit", note: "buy milk" }],
    ['append "one   line" to it', { wish: "edit", note: "one line" }],
    ["/edit", { wish: "edit", note: "A line from the demo agent." }],
    ["run the tests", { wish: "run" }],
    ["do the tests pass?", { wish: "run" }],
    ["count to 50", { wish: "count", to: 50 }],
    ["/count 999999", { wish: "count", to: 1_000 }],
    ["be slow", { wish: "count", to: 20 }],
    ["think about it", { wish: "think" }],
    ["remember that the door is blue", { wish: "remember", text: "the door is blue" }],
    ["What did I say?", { wish: "recall" }],
    ["do you remember me", { wish: "recall" }],
    ["crash", { wish: "crash" }],
    ["/crash now", { wish: "crash" }],
    ["go on", { wish: "go on" }],
  ])("%s", (message, wish) => {
    expect(understand(message)).toEqual(wish);
  });

  it("always lead to a wish", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (message) => {
        expect(understand(message)).toHaveProperty("wish");
      }),
    );
  });
});
