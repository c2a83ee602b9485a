import { expect, it } from "vitest";
import { openSecrets } from "../../secrets/secrets.ts";
import { createFrameCleaner } from "./clean-frame.ts";
import { createJournalLines } from "./journal-lines.ts";
import { parseFrame } from "../wire/parse-frame.ts";

const KEY = "sk-secret-key-0123456789";
const secrets = openSecrets();
secrets.keep([KEY]);
const clean = createFrameCleaner(secrets.redactor);
const journalLine = createJournalLines(secrets.redactor);

function cleaned(message: object): unknown {
  return clean(parseFrame(JSON.stringify({ jsonrpc: "2.0", ...message })));
}

it("requests, notifications, results and errors lose their secrets", () => {
  const data = { title: `Use ${KEY}` };
  const without = { title: "Use [redacted]" };
  expect(cleaned({ id: 1, method: "m", params: data })).toMatchObject({ params: without });
  expect(cleaned({ method: "m", params: data })).toMatchObject({ params: without });
  expect(cleaned({ id: 1, result: data })).toMatchObject({ result: without });
  expect(cleaned({ id: 1, error: data })).toMatchObject({ error: without });
});

it("a chunk of text stays as it is, for the translator, unless it contains something else", () => {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: KEY } };
  const plain = { method: "session/update", params: { sessionId: "s", update } };
  expect(cleaned(plain)).toMatchObject({ params: plain.params });
  for (const more of [
    { ...update, messageId: KEY },
    { ...update, content: { ...update.content, annotations: KEY } },
    { ...update, sessionUpdate: "user_message_chunk" },
  ]) {
    const other = cleaned({ method: "session/update", params: { sessionId: "s", update: more } });
    expect(JSON.stringify(other)).not.toContain(KEY);
  }
});

it("the IDs by which messages are matched stay as they are", () => {
  const params = { sessionId: `s ${KEY}`, requestId: `r ${KEY}`, other: KEY };
  expect(cleaned({ method: "m", params })).toMatchObject({
    params: { ...params, other: "[redacted]" },
  });
});

it("an option with a secret in its ID is left out", () => {
  const options = [
    { optionId: "allow", name: `Allow ${KEY}` },
    { optionId: `x ${KEY}`, name: "Other" },
    "nonsense",
  ];
  expect(cleaned({ id: 1, method: "m", params: { options } })).toMatchObject({
    params: { options: [{ optionId: "allow", name: "Allow [redacted]" }, "nonsense"] },
  });
});

it("pieces of a secret in several chunks are not in the journal, and other lines are unchanged", () => {
  const lines = (update: (piece: string) => object): string => {
    const pieces = ["Hello. ", KEY.slice(0, 9), KEY.slice(9, 15), KEY.slice(15), " Bye."];
    return pieces
      .map((piece) =>
        JSON.stringify({
          jsonrpc: "2.0",
          method: "session/update",
          params: { update: update(piece) },
        }),
      )
      .map((line) => journalLine(line, parseFrame(line)))
      .join("\n");
  };
  const text = (piece: string): object => ({ type: "text", text: piece });
  const kinds: readonly ((piece: string) => object)[] = [
    (piece) => ({ sessionUpdate: "agent_message_chunk", content: text(piece) }),
    (piece) => ({
      sessionUpdate: "tool_call_content_chunk",
      toolCallId: "t",
      content: { type: "content", content: text(piece) },
    }),
    (piece) => ({
      sessionUpdate: "tool_call_update",
      toolCallId: "t",
      _meta: { terminal_output: { terminal_id: "x", data: piece } },
    }),
  ];
  for (const kind of kinds) {
    const journal = lines(kind);
    expect(journal).not.toMatch(
      new RegExp([KEY.slice(0, 9), KEY.slice(9, 15), KEY.slice(15)].join("|"), "u"),
    );
    expect(journal).toContain('"Hello. "');
    expect(journal).toContain('" Bye."');
  }
  const odd = '{"jsonrpc":"2.0",  "method":"m"}';
  expect(journalLine(odd, parseFrame(odd))).toBe(odd);
});
