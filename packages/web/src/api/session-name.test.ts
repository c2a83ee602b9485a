import { expect, it } from "vitest";
import { sessionName } from "./session-name.ts";
import { exampleSession } from "./testing/example-session.ts";

it.each([
  [{ title: " The build " }, "The build"],
  [{ title: "  ", purpose: "Find out\nmore" }, "Find out"],
  [{ title: null, purpose: "", agentName: "gaia" }, "gaia"],
  [{ title: null, id: "019a82c4-7d3e" }, "Session 019a82c4"],
])("a session with %j is called %s", (changes, name) => {
  expect(sessionName(exampleSession(changes))).toBe(name);
});
