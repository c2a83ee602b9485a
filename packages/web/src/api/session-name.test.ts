import { expect, it } from "vitest";
import { sessionName, titleText } from "./session-name.ts";
import { exampleSession } from "./testing/example-session.ts";

it.each([
  [{ title: " The build " }, "The build"],
  [{ title: "  ", purpose: "Find out\nmore" }, "Find out"],
  [{ title: null, purpose: "", agentName: "gaia" }, "gaia"],
  [{ title: null, id: "019a82c4-7d3e" }, "Session 019a82c4"],
])("a session with %j is called %s", (changes, name) => {
  expect(sessionName(exampleSession(changes))).toBe(name);
});

it("the tab shows the title and the number of waiting requests", () => {
  expect([titleText("Inbox", 2), titleText("Inbox", 0), titleText(null, 0)]).toEqual([
    "(2) Inbox · Holdfast",
    "Inbox · Holdfast",
    "Holdfast",
  ]);
});
