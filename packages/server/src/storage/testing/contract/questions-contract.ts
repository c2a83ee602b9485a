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

    it.each(SUSPENSION_KINDS)("of the kind %s can be stored", async (kind) => {
      const session = await shared.begin();
      const asked = await session.suspend(await session.run(), { kind });
      expect(await shared.store.readSuspension(asked.id)).toMatchObject({ kind, status: "open" });
    });
  });
}
