import { expect, it } from "vitest";
import { limitFacts } from "./limit-facts.ts";

const LIMITS = {
  liveAgents: 5,
  streams: 5000,
  queue: 100,
  retries: 3,
  idleMs: 30 * 60_000,
  silentMs: 3 * 3_600_000,
  permissionMs: null,
  messageBytes: 1_048_576,
  messageParts: 100,
  metadataBytes: 65_536,
  bodyBytes: 2_097_152,
  bundleBytes: 4_294_967_296,
};

it("describes the server's limits in words", () => {
  expect(limitFacts(LIMITS).map(({ name, value }) => `${name}: ${value}`)).toEqual([
    "Agents: At most 5 at once. An idle agent is stopped after 30 minutes, a silent run after 3 hours.",
    "Messages: At most 1 MiB each, 100 queued per session. A transient failure is retried 3 times.",
    "Permissions: Wait for an answer without a limit.",
    "Requests: At most 2 MiB, a bundle 4 GiB, metadata 64 KiB. At most 5000 event streams.",
  ]);
});

it.each([
  [1_000, "1 second"],
  [90_000, "1.5 minutes"],
  [60_000, "1 minute"],
  [3 * 86_400_000, "3 days"],
])("%i milliseconds are %s", (permissionMs, expected) => {
  const [, , permissions] = limitFacts({ ...LIMITS, permissionMs });
  expect(permissions?.value).toBe(`Count as rejected after ${expected}.`);
});
