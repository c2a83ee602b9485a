import { expect, it } from "vitest";
import { openPageStorage } from "../api/page-storage.ts";
import { memoryStorage } from "../composer/testing/memory-storage.ts";
import { readPlace, savePlace, type Place } from "./place.ts";

const place: Place = {
  row: { key: "m1@0.0", messageId: "m1", offset: 12.5 },
  sizes: [["m1@0.0", 80]],
  opened: [["+m2", false]],
};

it("each session has its own stored position", () => {
  const storage = memoryStorage();
  savePlace(storage, "s1", place);
  expect(readPlace(storage, "s1")).toEqual(place);
  expect(readPlace(storage, "s2")).toBeNull();
});

it("invalid stored data counts as no position", () => {
  const storage = memoryStorage();
  for (const text of ["{", "7", "null"]) {
    storage.set("holdfast.place.s", text);
    expect(readPlace(storage, "s")).toBeNull();
  }
  storage.set("holdfast.place.s", '{"row":{"key":1},"sizes":[["a","b"],3],"opened":{}}');
  expect(readPlace(storage, "s")).toEqual({ row: null, sizes: [], opened: [] });
});

it("a full storage causes no error", () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error("full");
    },
  };
  const storage = openPageStorage(() => full as unknown as Storage);
  savePlace(storage, "s", place);
  expect(readPlace(storage, "s")).toBeNull();
});
