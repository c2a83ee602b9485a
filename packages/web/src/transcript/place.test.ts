import { expect, it } from "vitest";
import { readPlace, savePlace, type Place, type PlaceStorage } from "./place.ts";

function memory(): PlaceStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
  };
}

const place: Place = {
  row: { key: "m1@0.0", messageId: "m1", offset: 12.5 },
  sizes: [["m1@0.0", 80]],
  opened: [["+m2", false]],
};

it("a place is kept for each session", () => {
  const storage = memory();
  savePlace(storage, "s1", place);
  expect(readPlace(storage, "s1")).toEqual(place);
  expect(readPlace(storage, "s2")).toBeNull();
});

it("what cannot be read is no place", () => {
  const storage = memory();
  for (const text of ["{", "7", "null"]) {
    storage.setItem("holdfast.place.s", text);
    expect(readPlace(storage, "s")).toBeNull();
  }
  storage.setItem("holdfast.place.s", '{"row":{"key":1},"sizes":[["a","b"],3],"opened":{}}');
  expect(readPlace(storage, "s")).toEqual({ row: null, sizes: [], opened: [] });
});

it("a storage that is full does no harm", () => {
  const full: PlaceStorage = {
    getItem: () => null,
    setItem: () => {
      throw new Error("full");
    },
  };
  savePlace(full, "s", place);
  expect(readPlace(full, "s")).toBeNull();
});
