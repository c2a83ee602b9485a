import { expect, it } from "vitest";
import { actionOfKey, type ComposerKey } from "./composer-keys.ts";

const press = (key: string, more: Partial<ComposerKey> = {}): ComposerKey => ({
  key,
  shiftKey: false,
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 0,
  ...more,
});
const FULL = { text: "Hello" };
const EMPTY = { text: "" };

it("Enter sends, Shift Enter adds a line", () => {
  expect(actionOfKey(press("Enter"), FULL)).toBe("send");
  expect(actionOfKey(press("Enter", { shiftKey: true }), FULL)).toBe("type");
});

it("Enter with the command key interrupts, on every platform", () => {
  expect(actionOfKey(press("Enter", { ctrlKey: true }), FULL)).toBe("interrupt");
  expect(actionOfKey(press("Enter", { metaKey: true }), FULL)).toBe("interrupt");
});

it("keys have no action during an IME composition", () => {
  for (const more of [{ isComposing: true }, { keyCode: 229 }]) {
    expect(actionOfKey(press("Enter", more), FULL)).toBe("type");
    expect(actionOfKey(press("Enter", { ...more, ctrlKey: true }), FULL)).toBe("type");
    expect(actionOfKey(press("ArrowUp", more), EMPTY)).toBe("type");
    expect(actionOfKey(press("Escape", more), FULL)).toBe("type");
  }
});

it("the up arrow recalls the last message only in an empty box", () => {
  expect(actionOfKey(press("ArrowUp"), EMPTY)).toBe("recall");
  expect(actionOfKey(press("ArrowUp"), FULL)).toBe("type");
  expect(actionOfKey(press("ArrowUp", { shiftKey: true }), EMPTY)).toBe("type");
  expect(actionOfKey(press("ArrowUp", { altKey: true }), EMPTY)).toBe("type");
});

it("Escape leaves the box, and other keys type", () => {
  expect(actionOfKey(press("Escape"), FULL)).toBe("leave");
  expect(actionOfKey(press("a"), FULL)).toBe("type");
});

it("D3 Shift Tab chooses the next mode, and Tab alone moves the focus", () => {
  expect(actionOfKey(press("Tab", { shiftKey: true }), FULL)).toBe("next-mode");
  expect(actionOfKey(press("Tab", { shiftKey: true }), EMPTY)).toBe("next-mode");
  expect(actionOfKey(press("Tab"), FULL)).toBe("type");
  expect(actionOfKey(press("Tab", { shiftKey: true, ctrlKey: true }), FULL)).toBe("type");
});
