import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initializeParams, initializeResult, isSecondVersion } from "./initialize.ts";
import { parsePatch } from "./git-patch.ts";
import { outgoingRequest } from "./requests.ts";
import { SecondVersion } from "./second-version.ts";
import { TerminalOutput } from "./terminal-output.ts";
import { toolContentOf } from "./tool-content.ts";

describe("initialize", () => {
  it("says what the client can do in the words of version 2", () => {
    const params = {
      protocolVersion: 1,
      clientInfo: { name: "holdfast" },
      clientCapabilities: {
        fs: { readTextFile: false },
        auth: { terminal: true },
        elicitation: { form: {} },
        _meta: { more: 1 },
      },
    };
    const second = {
      protocolVersion: 2,
      info: { name: "holdfast" },
      capabilities: { auth: { terminal: {} }, elicitation: { form: {} }, _meta: { more: 1 } },
    };
    expect(initializeParams(params, { isOpen: false })).toEqual(second);
    expect(initializeParams(params, { isOpen: true })).toEqual({ ...params, ...second });
  });

  it("reads what the agent can do as in version 1", () => {
    const result = {
      protocolVersion: 2,
      info: { name: "a", version: "1" },
      capabilities: {
        session: { prompt: { image: {} }, mcp: { http: {} }, fork: {}, delete: {} },
        providers: {},
      },
      authMethods: [
        { methodId: "key", type: "agent", name: "Key" },
        {
          methodId: "shell",
          type: "terminal",
          name: "Shell",
          args: ["login"],
          env: [{ name: "A", value: "1" }],
        },
        { methodId: "new", type: "_hologram", name: "New" },
      ],
    };
    expect(isSecondVersion(result)).toBe(true);
    expect(initializeResult(result)).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "a", version: "1", protocolVersion: 2 },
      agentCapabilities: {
        loadSession: false,
        providers: {},
        promptCapabilities: { image: true, audio: false, embeddedContext: false },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { fork: {}, delete: {}, list: {}, resume: {}, close: {} },
        auth: { logout: {} },
      },
      authMethods: [
        { id: "key", name: "Key" },
        { id: "shell", type: "terminal", name: "Shell", args: ["login"], env: { A: "1" } },
        { id: "new", type: "_hologram", name: "New" },
      ],
    });
  });
});

describe("a request", () => {
  it.each([
    ["authenticate", { methodId: "m" }, "auth/login", { methodId: "m" }],
    ["logout", undefined, "auth/logout", {}],
    ["session/load", { sessionId: "s" }, "session/resume", { sessionId: "s" }],
    [
      "session/fork",
      { mcpServers: [{ name: "a" }, { type: "http", name: "b" }] },
      "session/fork",
      {
        mcpServers: [
          { type: "stdio", name: "a" },
          { type: "http", name: "b" },
        ],
      },
    ],
    [
      "session/set_config_option",
      { configId: "fast", value: true },
      "session/set_config_option",
      { configId: "fast", type: "boolean", value: true },
    ],
    [
      "session/set_mode",
      { sessionId: "s", modeId: "plan" },
      "session/set_config_option",
      { sessionId: "s", configId: "how", type: "id", value: "plan" },
    ],
    ["session/delete", { sessionId: "s" }, "session/delete", { sessionId: "s" }],
  ])("is reshaped (%s)", (method, params, newMethod, newParams) => {
    const options = [{ id: "how", category: "mode" }];
    expect(outgoingRequest(method, params, options)).toEqual({
      method: newMethod,
      params: newParams,
    });
  });

  it("for a mode that the agent does not have is refused", () => {
    expect(() => outgoingRequest("session/set_mode", { modeId: "plan" }, [])).toThrow(
      "The agent has no option for its mode",
    );
  });
});

describe("a patch", () => {
  const PATCH = `diff --git a/repo/one.txt b/repo/one.txt
index 1..2 100644
--- a/repo/one.txt
+++ b/repo/one.txt
@@ -1,3 +1,3 @@ a heading
 same
-old
+new
 same
@@ -10 +10 @@
--- looks like a header
+++ looks like one, too
\\ No newline at end of file
diff --git a/repo/two.txt b/repo/two.txt
deleted file mode 100644
--- a/repo/two.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;

  it("is split into files and hunks", () => {
    expect(parsePatch(PATCH)).toEqual([
      {
        oldPath: "repo/one.txt",
        newPath: "repo/one.txt",
        hunks: [
          { oldText: "same\nold\nsame\n", newText: "same\nnew\nsame\n" },
          { oldText: "-- looks like a header\n", newText: "++ looks like one, too" },
        ],
      },
      { oldPath: "repo/two.txt", newPath: null, hunks: [{ oldText: "gone\n", newText: "" }] },
    ]);
  });

  it("becomes diffs of version 1, and changes without text are named", () => {
    const changes = [
      { operation: "modify", path: "/repo/one.txt" },
      { operation: "delete", path: "/repo/two.txt" },
      { operation: "move", oldPath: "/repo/a", path: "/repo/b" },
      { operation: "_new", path: "/repo/c" },
      { operation: "add" },
    ];
    const line = (text: string): unknown => ({ type: "content", content: { type: "text", text } });
    expect(
      toolContentOf({ type: "diff", changes, patch: { format: "git_patch", text: PATCH } }),
    ).toEqual([
      expect.objectContaining({ type: "diff", path: "/repo/one.txt" }),
      expect.objectContaining({ newText: "++ looks like one, too" }),
      { type: "diff", path: "/repo/two.txt", oldText: "gone\n", newText: "" },
      line("move /repo/a to /repo/b"),
      line("_new /repo/c"),
    ]);
  });

  it("of any form is read or ignored", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PATCH.split("\n"), "@@ -9,999 +9,999 @@")),
        (lines) => {
          parsePatch(lines.join("\n"));
        },
      ),
    );
  });
});

describe("a message that comes in chunks and as a whole", () => {
  it("is passed on once, however it is cut and repeated", () => {
    const cuts = fc.array(fc.tuple(fc.nat(40), fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), cuts, (text, steps) => {
        const second = new SecondVersion();
        let given = 0;
        let passed = "";
        const take = (update: object): void => {
          for (const each of second.updates({ sessionId: "s", update })) {
            passed += textIn(each);
          }
        };
        const whole = (end: number): void =>
          take({
            sessionUpdate: "agent_message",
            messageId: "m",
            content: [
              { type: "text", text: text.slice(0, Math.floor(end / 2)) },
              { type: "text", text: text.slice(Math.floor(end / 2), end) },
            ],
          });
        for (const [size, isWhole] of steps) {
          const end = Math.min(text.length, given + size);
          if (isWhole) whole(end);
          else
            take({
              sessionUpdate: "agent_message_chunk",
              messageId: "m",
              content: { type: "text", text: text.slice(given, end) },
            });
          given = end;
        }
        whole(text.length);
        whole(text.length);
        expect(passed).toBe(text);
      }),
    );
  });

  it("and is replaced by another text becomes a new message", () => {
    const second = new SecondVersion();
    const message = (text: string): readonly unknown[] =>
      second.updates({
        sessionId: "s",
        update: {
          sessionUpdate: "agent_message",
          messageId: "m",
          content: [{ type: "text", text }],
        },
      });
    expect(message("One.")).toMatchObject([{ update: { messageId: "m" } }]);
    expect(message("Two, longer.")).toMatchObject([
      { update: { messageId: "m 2", content: { text: "Two, longer." } } },
    ]);
    expect(message("Two, longer.")).toMatchObject([{ update: { sessionUpdate: "nothing_new" } }]);
  });
});

describe("the output of a terminal", () => {
  it("is the same text, however its bytes are cut and repeated", () => {
    const cuts = fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), cuts, (text, steps) => {
        const bytes = Buffer.from(text);
        const output = new TerminalOutput();
        let given = 0;
        let passed = "";
        const take = (update: object): void => {
          const frame = output.decode({
            frame: "notification",
            method: "session/update",
            params: { sessionId: "s", update: { terminalId: "t", ...update } },
          });
          const line = JSON.stringify(frame);
          const { data = "", replaces = false } = outputIn(JSON.parse(line));
          passed = replaces ? data : passed + data;
        };
        for (const [size, isWhole] of steps) {
          const end = Math.min(bytes.length, given + size);
          const data = bytes.subarray(isWhole ? 0 : given, end).toString("base64");
          if (!isWhole) take({ sessionUpdate: "terminal_output_chunk", data });
          else if (isWholeText(bytes, end))
            take({ sessionUpdate: "terminal_update", output: { data } });
          else continue;
          given = end;
        }
        const data = bytes.toString("base64");
        take({ sessionUpdate: "terminal_update", output: { data }, exitStatus: { exitCode: 0 } });
        expect(passed).toBe(text);
      }),
    );
  });

  it("is not replaced by an excerpt of it", () => {
    const output = new TerminalOutput();
    const take = (update: object): unknown =>
      output.decode({
        frame: "notification",
        method: "session/update",
        params: { sessionId: "s", update: { terminalId: "t", ...update } },
      });
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    take({ sessionUpdate: "terminal_output_chunk", data: base64("a long text") });
    expect(
      take({ sessionUpdate: "terminal_update", output: { data: base64("a…text") } }),
    ).toMatchObject({ params: { update: { _meta: {} } } });
    expect(
      take({ sessionUpdate: "terminal_update", output: { data: base64("quite another text") } }),
    ).toMatchObject({
      params: {
        update: { _meta: { terminal_output: { data: "quite another text", replaces: true } } },
      },
    });
  });

  it("without a call is kept only up to a limit", () => {
    const second = new SecondVersion();
    const data = "x".repeat(600_000);
    const updates = ["a", "b"].flatMap((terminalId) =>
      second.updates({
        sessionId: "s",
        update: {
          sessionUpdate: "terminal_update",
          terminalId,
          _meta: { terminal_output: { terminal_id: terminalId, data } },
        },
      }),
    );
    expect(updates).toMatchObject([
      { update: { sessionUpdate: "terminal_update" } },
      { update: { sessionUpdate: "tool_call", toolCallId: "terminal b" } },
    ]);
  });
});

describe("a question", () => {
  it("about a command is one about the call that would run it", () => {
    const subject = { type: "command", command: "ls", cwd: "/repo" };
    expect(
      new SecondVersion().incoming("session/request_permission", {
        sessionId: "s",
        title: "Run it?",
        description: "to look",
        subject,
        options: [],
      }),
    ).toMatchObject({
      description: "Run it?\nto look",
      toolCall: { title: "ls", kind: "execute", rawInput: { command: "ls", cwd: "/repo" } },
    });
  });

  it("about something unknown keeps its words", () => {
    const params = { sessionId: "s", title: "Go?", description: "far", options: [] };
    const subject = { type: "_journey" };
    expect(
      new SecondVersion().incoming("session/request_permission", { ...params, subject }),
    ).toEqual(params);
  });
});

function textIn(params: unknown): string {
  const { update } = params as { readonly update: { readonly content?: { text?: string } } };
  return update.content?.text ?? "";
}

function outputIn(frame: unknown): { readonly data?: string; readonly replaces?: boolean } {
  const { params } = frame as {
    readonly params: { update: { _meta: { terminal_output?: { data: string } } } };
  };
  return params.update._meta.terminal_output ?? {};
}

/** A snapshot does not end within a character. */
function isWholeText(bytes: Buffer, end: number): boolean {
  return !bytes.subarray(0, end).toString().endsWith("\ufffd");
}
