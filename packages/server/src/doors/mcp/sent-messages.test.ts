import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { SentMessages } from "./sent-messages.ts";

describe("the sent messages of a connection", () => {
  it("are those after an event, of its stream only", async () => {
    const sent = new SentMessages();
    const first = await sent.storeEvent("one", message("a"));
    await sent.storeEvent("other", message("b"));
    await sent.storeEvent("one", message("c"));
    expect(await replay(sent, first)).toEqual({ stream: "one", texts: ["c"] });
  });

  it("do not include the first event of a stream, which has no message", async () => {
    const sent = new SentMessages();
    await sent.storeEvent("one", {} as JSONRPCMessage);
    await sent.storeEvent("one", message("a"));
    expect((await replay(sent, "one/0")).texts).toEqual(["a"]);
  });

  it("are the latest ones: many or large messages push out the earlier ones", async () => {
    const sent = new SentMessages();
    for (let number = 1; number <= 300; number += 1)
      await sent.storeEvent("one", message(String(number)));
    const { texts } = await replay(sent, "one/0");
    expect([texts.length, texts[0], texts.at(-1)]).toEqual([256, "45", "300"]);
    await sent.storeEvent("one", message("x".repeat(200_000)));
    await sent.storeEvent("one", message("y".repeat(200_000)));
    expect((await replay(sent, "one/0")).texts.map(({ length }) => length)).toEqual([200_000]);
  });

  it("are none for an ID that was never given out", async () => {
    const sent = new SentMessages();
    await sent.storeEvent("one", message("a"));
    for (const id of ["", "one", "other/0", "/0", "one/x"])
      expect((await replay(sent, id)).texts).toEqual([]);
  });
});

function message(text: string): JSONRPCMessage {
  return { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: text } };
}

async function replay(sent: SentMessages, after: string) {
  const texts: string[] = [];
  const stream = await sent.replayEventsAfter(after, {
    send: async (_id, given) => {
      if ("params" in given) texts.push(String(given.params?.["data"]));
    },
  });
  return { stream, texts };
}
