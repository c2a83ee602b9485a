import { describe, expect, it } from "vitest";
import { refusal } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

const PATH = "/api/sessions/s1/messages/m1/output";

describe("the output of a tool call over HTTP", () => {
  it("D1 is plain text, with its source and the bytes that are left out", async () => {
    async function* text() {
      yield "<b>one</b>\n";
      yield "two\n";
    }
    const app = await testApp({
      runtime: {
        readOutput: async () => ({
          ok: true,
          output: { source: "file", omittedBytes: 7, text: text() },
        }),
      },
    });
    const reply = await app.inject(PATH);
    expect([reply.statusCode, reply.body]).toEqual([200, "<b>one</b>\ntwo\n"]);
    expect(reply.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": 'attachment; filename="output.txt"',
      "x-content-type-options": "nosniff",
      "x-holdfast-output": "file",
      "x-holdfast-omitted-bytes": "7",
    });
  });

  it("D1 is not found for a message that is no tool call", async () => {
    const app = await testApp({
      runtime: { readOutput: async () => refusal({ code: "message_not_found" }) },
    });
    const reply = await app.inject(PATH);
    expect(reply.json()).toMatchObject({ status: 404, code: "message_not_found" });
  });
});
