import type { WholeSession } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { StreamEvent } from "./apply-event.ts";
import { follow, type Followed } from "./follow.ts";
import type { Sessions } from "./sessions.ts";
import { createSessionModel } from "./testing/session-model.ts";

const text = (id: string, messageId: string): StreamEvent => ({
  id,
  type: "delta",
  data: { messageId, text: "lost " },
});

/** A server that sends one of these events per connection. */
function server({
  shows,
  sends,
}: {
  readonly shows: readonly WholeSession[];
  readonly sends: readonly (readonly StreamEvent[])[];
}) {
  let reads = 0;
  const positions: unknown[] = [];
  const sessions: Pick<Sessions, "get" | "events"> = {
    get: async () => {
      const shown = shows[reads];
      reads += 1;
      if (shown === undefined) throw new Error("read too often");
      return shown;
    },
    async *events(_id, { after } = {}) {
      positions.push(after);
      yield* sends[positions.length - 1] ?? [];
    },
  };
  return { sessions, positions, reads: () => reads };
}

async function all(followed: AsyncGenerator<Followed>): Promise<readonly Followed[]> {
  const seen: Followed[] = [];
  for await (const one of followed) seen.push(one);
  return seen;
}

describe("text for a message that was not sent", () => {
  const model = createSessionModel();
  const before = model.whole();
  model.take({ do: "say", text: "Hello" });
  const after = model.whole();
  const [message] = after.messages;
  const orphan = text("2", message?.id ?? "");

  it("makes a client read the session again and continue from there", async () => {
    const { sessions, positions, reads } = server({
      shows: [before, after],
      sends: [[orphan], [text("3", message?.id ?? "")]],
    });
    const seen = await all(follow(sessions, "s"));
    expect(seen.slice(0, 2)).toEqual([
      { session: before, event: null },
      { session: after, event: orphan },
    ]);
    expect(seen[2]?.session.messages[0]?.content["text"]).toBe("Hellolost ");
    expect([positions, reads()]).toEqual([[before.lastEventId, after.lastEventId], 2]);
  });

  it("is left out when the message is still missing", async () => {
    const { sessions, reads } = server({
      shows: [before, before],
      sends: [[orphan], [orphan, text("3", message?.id ?? "")]],
    });
    const seen = await all(follow(sessions, "s"));
    expect(seen.map(({ session }) => session)).toEqual([before, before]);
    expect(reads()).toBe(2);
  });
});
