import { expect, it } from "vitest";
import { composerStateOf } from "./composer-state.ts";

type Session = Parameters<typeof composerStateOf>[0];
const IDLE: Session = {
  status: "active",
  state: "idle",
  repoId: "r",
  delivery: "open",
  failure: null,
  queued: 0,
  supportsSteering: false,
  rewind: null,
};
const stateOf = (more: Partial<Session>) => composerStateOf({ ...IDLE, ...more });

it("an idle session starts a message at once (C9)", () => {
  expect(stateOf({})).toEqual({
    open: true,
    note: null,
    send: "Send",
    interrupt: null,
    canSteer: false,
  });
});

it("a suspended session says that a message resumes it (C9)", () => {
  expect(stateOf({ status: "suspended" })).toEqual({
    open: true,
    note: "Sending resumes this session",
    send: "Send",
    interrupt: null,
    canSteer: false,
  });
});

it("a running session queues a message or can be interrupted", () => {
  expect(stateOf({ state: "running" })).toEqual({
    open: true,
    note: "Queues behind the current run",
    send: "Queue",
    interrupt: "Interrupt and send",
    canSteer: false,
  });
});

it("a session that waits for an answer also accepts messages (C9)", () => {
  expect(stateOf({ state: "suspended" })).toEqual({
    open: true,
    note: "Waits in the queue for the answer above",
    send: "Queue",
    interrupt: "Stop waiting and send",
    canSteer: false,
  });
  expect(stateOf({ status: "suspended", state: "suspended" })).toMatchObject({
    note: "Sending resumes this session; the message waits for the answer above",
  });
});

it("D2 a message can steer an agent that takes messages, only while it works", () => {
  const steerable = { supportsSteering: true };
  expect(stateOf({ ...steerable, state: "running" })).toMatchObject({ canSteer: true });
  expect(stateOf({ ...steerable, state: "suspended" })).toMatchObject({ canSteer: true });
  for (const more of [
    {},
    { state: "running", delivery: "hold" },
    { state: "suspended", status: "suspended" },
  ] as const)
    expect(stateOf({ ...steerable, ...more })).toMatchObject({ canSteer: false });
});

it("a message waits behind the queue", () => {
  expect(stateOf({ queued: 2 })).toMatchObject({
    send: "Queue",
    note: "Queues behind other messages",
  });
  expect(stateOf({ delivery: "hold" })).toMatchObject({ open: true, send: "Queue" });
});

it("a session that accepts no messages gives the reason and a way out (A7)", () => {
  expect(stateOf({ status: "archived" })).toEqual({
    open: false,
    reason: "This session is archived. It accepts no messages.",
    way: "fork",
  });
  expect(stateOf({ status: "error", failure: "The rows are damaged." })).toEqual({
    open: false,
    reason: "This session cannot continue: The rows are damaged.",
    way: "fork",
  });
  expect(stateOf({ repoId: null })).toMatchObject({ open: false, way: null });
  expect(stateOf({ delivery: "reject" })).toMatchObject({ open: false, way: "accept" });
});

it("D7 a message waits while files are restored", () => {
  const rewind = { id: "w", run: "r", undoes: null, status: "restoring", error: null } as const;
  expect(stateOf({ rewind })).toMatchObject({
    note: "Files are being restored; the message waits for that",
    send: "Queue",
  });
  expect(stateOf({ rewind: { ...rewind, status: "done" } })).toMatchObject({ send: "Send" });
});
