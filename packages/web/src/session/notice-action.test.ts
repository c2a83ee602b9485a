import { expect, it } from "vitest";
import { noticeWay } from "./notice-action.ts";
import { sampleMessage, sampleSession } from "./testing/samples.ts";

const notice = (kind: string) =>
  sampleMessage("n", {
    role: "system",
    content: { type: "text", text: "Failed", notice: kind, runId: "r" },
  });
const messageOf = (runId: string): string | null => (runId === "r" ? "Fix it" : null);
const IDLE = { session: sampleSession(), after: false, messageOf };

it("a failed, interrupted or cancelled run can be tried again", () => {
  for (const kind of ["run_failed", "run_interrupted", "run_cancelled"])
    expect(noticeWay(notice(kind), IDLE)).toEqual({ way: "again", text: "Fix it" });
});

it("offers nothing after another message or run", () => {
  const failed = notice("run_failed");
  expect(noticeWay(failed, { ...IDLE, after: true })).toBeNull();
  for (const more of [{ state: "running" }, { queued: 1 }, { status: "archived" }] as const)
    expect(noticeWay(failed, { ...IDLE, session: sampleSession(more) })).toBeNull();
  expect(noticeWay(failed, { ...IDLE, messageOf: () => null })).toBeNull();
});

it("a failed session can be forked; other notices offer nothing", () => {
  const session = sampleSession({ status: "error" });
  expect(noticeWay(notice("session_failed"), { ...IDLE, session })).toEqual({ way: "fork" });
  expect(noticeWay(notice("memory"), IDLE)).toBeNull();
});
