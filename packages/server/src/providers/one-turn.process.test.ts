import { describe, expect, it } from "vitest";
import { takeOneTurn, type Turn, type TurnOptions } from "./one-turn.ts";
import { openAgentRig, SHORT_TIMES, type RigOptions } from "./testing/agent-rig.ts";

/** Everything it starts must be gone when it returns: the rig counts leftover processes. */
async function turnWith(
  options: RigOptions,
  more: Partial<TurnOptions> = {},
): Promise<{ readonly turn: Turn; readonly rig: ReturnType<typeof openAgentRig> }> {
  const rig = openAgentRig({ times: SHORT_TIMES, ...options });
  const turn = await takeOneTurn(rig.provider, {
    folder: rig.folder,
    text: "Reply with the word ready.",
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...more,
  });
  expect(await rig.leftovers()).toEqual([]);
  return { turn, rig };
}

describe("one turn of an agent", () => {
  it("returns its answer without its thoughts", async () => {
    const { turn } = await turnWith({
      otherwise: [
        { step: "think", text: "hm" },
        { step: "say", text: " ready\n" },
      ],
    });
    expect(turn).toEqual({ ok: true, answer: "ready" });
  });

  it("refuses what the agent asks for", async () => {
    const { turn } = await turnWith({
      otherwise: [
        {
          step: "ask",
          id: "t1",
          title: "Write a file",
          options: [
            { optionId: "yes", name: "Allow", kind: "allow_once" },
            { optionId: "no", name: "Reject", kind: "reject_once" },
          ],
        },
      ],
    });
    expect(turn).toEqual({ ok: true, answer: "answer: no" });
  });

  it("is no answer if the agent says nothing", async () => {
    const { turn } = await turnWith({ otherwise: [{ step: "think", text: "hm" }] });
    expect(turn).toEqual({ ok: false, reason: "it ended without an answer (end_turn)" });
  });

  it("returns the agent's own reason if it needs a login", async () => {
    const { turn } = await turnWith({ auth: { methods: [], accepts: null } });
    expect(turn).toMatchObject({ ok: false, reason: expect.stringMatching(/log in|login/iu) });
  });

  it("returns the reason of an agent that is not installed", async () => {
    const { turn } = await turnWith({
      definition: { command: ["no-such-program"], install: "npm install it" },
    });
    expect(turn).toMatchObject({
      ok: false,
      reason:
        "Scripted agent is not installed: program no-such-program not found; install it with: npm install it",
    });
  });

  it("ends an agent that does not answer in time", async () => {
    const { turn } = await turnWith({ otherwise: [{ step: "silent" }] }, { timeoutMs: 3_000 });
    expect(turn).toEqual({ ok: false, reason: "it did not answer within 3 seconds" });
  });

  it("ends an agent when the caller gives up", async () => {
    const stopping = new AbortController();
    const answering = turnWith({ otherwise: [{ step: "silent" }] }, { signal: stopping.signal });
    stopping.abort();
    expect((await answering).turn).toEqual({ ok: false, reason: "it was interrupted" });
  });
});
