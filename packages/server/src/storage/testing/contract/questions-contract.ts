import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { SUSPENSION_KINDS, type SuspensionKind } from "../../../domain/suspension.ts";
import type { SharedStore } from "./shared-store.ts";

const FORM: JsonObject = {
  title: "Welche Farbe? 🎨",
  message: "Welche Farbe? 🎨\nFor the door.",
  mode: "form",
  schema: {
    type: "object",
    properties: { colour: { type: "string", enum: ["red", "blue"] }, key: { writeOnly: true } },
    required: ["colour"],
  },
  toolCallId: null,
};
const LOGIN: JsonObject = {
  title: "Claude requires a login",
  provider: "claude",
  methods: [{ id: "sub", name: "Subscription", description: null, how: "terminal" }],
};

/** Forms and logins that a run waits for. */
export function questionsContract(shared: SharedStore): void {
  describe("questions of agents", () => {
    it.each<[SuspensionKind, JsonObject, Json]>([
      [
        "elicitation",
        FORM,
        { action: "accept", content: { colour: "blue", key: { notStored: true } } },
      ],
      [
        "elicitation",
        { ...FORM, mode: "url", url: "https://a.example/?b=c" },
        { action: "decline" },
      ],
      ["login", LOGIN, { action: "retry" }],
    ])(
      "of the kind %s keep request and answer, in the inbox and in the log (D1)",
      async (kind, request, answer) => {
        const session = await shared.begin();
        const sent = await session.run();
        const asked = await session.suspend(sent, { kind, request, fingerprint: null });
        const inbox = await shared.store.openSuspensions();
        expect(inbox.filter(({ sessionId }) => sessionId === session.id)).toMatchObject([
          { id: asked.id, kind, request, status: "open" },
        ]);
        await session.perform({ type: "answer", suspensionId: asked.id, answer, by: "ada" });
        expect(await shared.store.readSuspension(asked.id)).toMatchObject({
          kind,
          request,
          answer,
          status: "answered",
          answeredBy: "ada",
        });
        expect(JSON.stringify(await session.log())).toContain(JSON.stringify(asked.id));
      },
    );

    it("that are decided permissions are read by tool call, oldest first, without long parts", async () => {
      const session = await shared.begin();
      const [run, odd] = [await session.run(), `c "1" ü\\n 🎨`];
      const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
      const ask = (toolCallId: string | null, more: JsonObject = {}) =>
        session.suspend(run, { request: { input: "long", toolCallId, options, ...more } });
      const first = await ask(odd);
      await session.answer(first);
      const again = await ask(odd, { options: "long ".repeat(10_000) });
      await session.answer(again);
      await session.answer(await ask("c2"));
      await session.answer(await ask(null));
      await session.answer(
        await session.suspend(run, { kind: "question", request: { toolCallId: odd } }),
      );
      await ask("c3");
      const read = (...callIds: readonly string[]) =>
        shared.store.readDecisions({
          sessionId: session.id,
          calls: callIds.map((callId) => ({ runId: run.runId, callId })),
        });
      const decided = await read(odd, "c3", "none", ...Array.from({ length: 1_200 }, String));
      expect(decided).toEqual([
        {
          id: first.id,
          runId: run.runId,
          callId: odd,
          status: "answered",
          options,
          answer: { option: "allow" },
          answeredBy: "ada",
          closedAt: first.createdAt + 1000,
        },
        expect.objectContaining({ id: again.id, callId: odd, options: null }),
      ]);
      expect((await read("c2")).map(({ callId }) => callId)).toEqual(["c2"]);
      expect(await read()).toEqual([]);
      const calls = [{ runId: "another run", callId: odd }];
      expect(await shared.store.readDecisions({ sessionId: session.id, calls })).toEqual([]);
    });

    it.each(SUSPENSION_KINDS)("of the kind %s can be stored", async (kind) => {
      const session = await shared.begin();
      const asked = await session.suspend(await session.run(), { kind });
      expect(await shared.store.readSuspension(asked.id)).toMatchObject({ kind, status: "open" });
    });
  });
}
