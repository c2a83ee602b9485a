import { expect, it } from "vitest";
import { titleText } from "./title-text.ts";

it("the tab says where one is and how many things wait", () => {
  expect([titleText("Inbox", 2), titleText("Inbox", 0), titleText(null, 0)]).toEqual([
    "(2) Inbox · Holdfast",
    "Inbox · Holdfast",
    "Holdfast",
  ]);
});
