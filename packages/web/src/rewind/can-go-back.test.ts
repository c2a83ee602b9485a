import { expect, it } from "vitest";
import { sampleMessage, sampleSession } from "../session/testing/samples.ts";
import { canGoBack } from "./can-go-back.ts";

it("D7 a session goes back to before the message of a run, not to one that was given during it", () => {
  const session = sampleSession();
  const message = sampleMessage("m", { runId: "r" });
  const steered = { ...message, content: { ...message.content, injected: true } };
  expect(canGoBack(session, message)).toBe(true);
  expect(
    [
      canGoBack(session, steered),
      canGoBack(session, { ...message, runId: null }),
      canGoBack(session, { ...message, role: "agent" }),
      canGoBack({ ...session, status: "archived" }, message),
      canGoBack({ ...session, repoId: null }, message),
    ].includes(true),
  ).toBe(false);
});
