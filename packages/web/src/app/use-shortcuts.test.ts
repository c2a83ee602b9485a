import { describe, expect, it } from "vitest";
import { createKeyReader, type KeyPress } from "./use-shortcuts.ts";

const PLAIN = { metaKey: false, ctrlKey: false, altKey: false };
const SHORTCUTS = new Set(["?", "j", "mod+k", "alt+arrowup", "g i", "g s"]);

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
  it("are shortcuts by themselves, in either case, and with the command key", () => {
    const { press } = setUp();
    expect([
      press("?"),
      press("J"),
      press("k", { metaKey: true }),
      press("k", { ctrlKey: true }),
      press("ArrowUp", { altKey: true }),
    ]).toEqual(["?", "j", "mod+k", "mod+k", "alt+arrowup"]);
  });

  it("are none when they mean something else", () => {
    const { press } = setUp();
    expect([press("k"), press("i"), press("j", { ctrlKey: true })]).toEqual([null, null, null]);
  });

  it("are shortcuts one after the other, when they come soon enough", () => {
    const { press, wait } = setUp();
    expect([press("g"), press("i")]).toEqual([null, "g i"]);
    expect([press("g"), press("x"), press("s")]).toEqual([null, null, null]);
    press("g");
    wait(1_000);
    expect(press("s")).toBeNull();
  });
});
