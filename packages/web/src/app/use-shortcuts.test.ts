import { describe, expect, it } from "vitest";
import { createKeyReader, type KeyPress } from "./use-shortcuts.ts";

const PLAIN = { metaKey: false, ctrlKey: false, altKey: false };
const SHORTCUTS = new Set(["?", "j", "mod+k", "alt+arrowup", "alt+j", "g i", "g s"]);

function setUp() {
  let now = 0;
  const read = createKeyReader(() => now);
  return {
    press: (key: string, modifiers: Partial<KeyPress> = {}) =>
      read({ key, ...PLAIN, ...modifiers }, SHORTCUTS),
    wait: (ms: number) => void (now += ms),
  };
}

describe("keys", () => {
  it("match single keys in either case and keys with the command key", () => {
    const { press } = setUp();
    expect([
      press("?"),
      press("J"),
      press("k", { metaKey: true }),
      press("k", { ctrlKey: true }),
      press("ArrowUp", { altKey: true }),
      press("∆", { altKey: true, code: "KeyJ" }),
    ]).toEqual(["?", "j", "mod+k", "mod+k", "alt+arrowup", "alt+j"]);
  });

  it("do not match other keys or modifiers", () => {
    const { press } = setUp();
    expect([press("k"), press("i"), press("j", { ctrlKey: true })]).toEqual([null, null, null]);
  });

  it("match a sequence within its time limit", () => {
    const { press, wait } = setUp();
    expect([press("g"), press("i")]).toEqual([null, "g i"]);
    expect([press("g"), press("x"), press("s")]).toEqual([null, null, null]);
    press("g");
    wait(1_000);
    expect(press("s")).toBeNull();
  });
});
