import {
  ask,
  exit,
  fail,
  leak,
  leakAll,
  mcp,
  noise,
  notify,
  raw,
  request,
  say,
  stderr,
  stop,
  think,
  tool,
  update,
  wait,
  type Step,
} from "../../../packages/server/src/providers/testing/script.ts";

/** One way in which an agent can give a secret away. */
export interface Way {
  readonly way: string;
  readonly steps: readonly Step[];
  /** Another provider of the test. */
  readonly provider?: string;
}

const text = (value: string): object => ({
  type: "content",
  content: { type: "text", text: value },
});
const call = (more: object): Step =>
  update({ sessionUpdate: "tool_call", toolCallId: "call-{{hex#1/9}}", title: "Work", ...more });
const patch = (more: object): Step =>
  update({ sessionUpdate: "tool_call_update", toolCallId: "call-{{hex#1/9}}", ...more });
const pieces = (form: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_each, at) => `{{${form}#${at + 1}/${count}}}`);
const terminal = (data: string): Step =>
  patch({ _meta: { terminal_output: { terminal_id: "t", data } } });

/** `{{form}}` is the secret in that form, `{{form#1/2}}` the first half of it: see scripted-leak.ts. */
export const WAYS: readonly Way[] = [
  ...[
    "plain",
    "nul",
    "base64",
    "base64after1",
    "base64after2",
    "base64url",
    "basic",
    "hex",
    "HEX",
    "url",
    "urlLower",
    "query",
    "percent",
    "json",
    "jsonTwice",
    "escaped",
  ].map((form): Way => ({
    way: `an answer, ${form}`,
    steps: [leak(say(`The key is {{${form}}}, as I said. `))],
  })),
  { way: "an answer in two chunks", steps: [leak(...pieces("plain", 2).map((it) => say(it)))] },
  { way: "an answer in many chunks", steps: [leak(...pieces("plain", 40).map((it) => say(it)))] },
  {
    way: "base64 in three chunks",
    steps: [leak(...pieces("base64after1", 3).map((it) => say(it)))],
  },
  {
    way: "an answer in two chunks with a pause, after which the text is shown",
    steps: [
      {
        step: "leak",
        first: 2,
        steps: [say("{{plain#1/3}}"), say("{{plain#2/3}}"), wait(600), say("{{plain#3/3}}")],
      },
    ],
  },
  {
    way: "chunks with a notice of usage between them",
    steps: [
      leak(
        say("{{plain#1/2}}"),
        update({ sessionUpdate: "usage_update", used: 1, size: 2 }),
        say("{{plain#2/2}}"),
      ),
    ],
  },
  { way: "a thought in two chunks", steps: [leak(...pieces("plain", 2).map(think))] },
  {
    way: "a whole message",
    steps: [
      leak(
        update({
          sessionUpdate: "agent_message",
          messageId: "m-{{hex#1/9}}",
          content: [{ type: "text", text: "{{plain}}" }],
        }),
      ),
    ],
  },
  {
    way: "a link and a resource",
    steps: [
      leak(
        ...[
          { type: "resource_link", uri: "https://x.example/?key={{url}}", name: "{{plain}}" },
          { type: "resource", resource: { uri: "file:///{{url}}", text: "{{plain}}" } },
          { type: "image", mimeType: "image/{{plain}}", data: "{{base64}}" },
        ].map((content) => update({ sessionUpdate: "agent_message_chunk", content })),
      ),
    ],
  },
  { way: "the ID of a message", steps: [leak(say("Hello.", "{{plain}}"))] },
  {
    way: "the title of the session",
    steps: [leak(update({ sessionUpdate: "session_info_update", title: "{{plain}}" }))],
  },
  {
    way: "a title that is cut inside the secret",
    steps: [
      leak(update({ sessionUpdate: "session_info_update", title: `${"x".repeat(385)}{{plain}}` })),
    ],
  },
  {
    way: "title, ID, kind, name, input, output, file name and diff of a tool call",
    steps: [
      leak(
        update({
          sessionUpdate: "tool_call",
          toolCallId: "{{plain}}",
          title: "Run {{plain}}",
          kind: "{{plain}}",
          name: "{{plain}}",
          status: "in_progress",
          rawInput: { command: "curl -H 'x: {{plain}}'", "{{plain}}": ["{{base64}}"] },
          locations: [{ path: "/tmp/{{plain}}.txt", line: 1 }],
        }),
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: "{{plain}}",
          status: "completed",
          rawOutput: { stdout: "{{plain}}", nested: { list: ["{{hex}}"] } },
          content: [
            text("{{plain}}"),
            { type: "diff", path: "/tmp/{{plain}}", oldText: "{{plain}}", newText: "{{plain}}!" },
          ],
        }),
      ),
    ],
  },
  {
    way: "the output of a failed tool",
    steps: [
      leak(tool({ id: "f{{hex#1/9}}", title: "Fails", output: "{{plain}}", ends: "failed" })),
    ],
  },
  {
    way: "the content of a tool call in chunks",
    steps: [
      leak(
        call({ status: "in_progress" }),
        ...pieces("plain", 2).map((piece) =>
          update({
            sessionUpdate: "tool_call_content_chunk",
            toolCallId: "call-{{hex#1/9}}",
            content: text(piece),
          }),
        ),
        patch({ status: "completed" }),
      ),
    ],
  },
  {
    way: "the output of a terminal in chunks",
    steps: [
      leak(
        call({ status: "in_progress", content: [{ type: "terminal", terminalId: "t" }] }),
        ...pieces("plain", 5).map(terminal),
        patch({
          status: "completed",
          _meta: { terminal_exit: { terminal_id: "t", exit_code: 0, signal: "{{plain}}" } },
        }),
      ),
    ],
  },
  {
    way: "a plan",
    steps: [
      leak(
        update({
          sessionUpdate: "plan",
          entries: [{ content: "Use {{plain}}", status: "{{plain}}", priority: "{{base64}}" }],
        }),
        update({ sessionUpdate: "plan", plan: { type: "markdown", content: "# {{plain}}" } }),
      ),
    ],
  },
  {
    way: "a notice and the summary of a compaction in chunks",
    steps: [
      leak(
        update({
          sessionUpdate: "notice",
          title: "{{plain}}",
          description: "{{hex}}",
          severity: "{{plain}}",
        }),
        ...pieces("plain", 2).map((piece) =>
          update({
            sessionUpdate: "compaction_summary_chunk",
            content: { type: "text", text: piece },
          }),
        ),
        update({ sessionUpdate: "compaction_update", status: "completed" }),
        update({ sessionUpdate: "compaction_update", status: "failed", error: "{{plain}}" }),
      ),
    ],
  },
  {
    way: "the usage, and the currency of the cost",
    steps: [
      leak(
        update({
          sessionUpdate: "usage_update",
          used: 1,
          size: 2,
          "{{plain}}": 3,
          cost: { amount: 1, currency: "{{plain}}" },
        }),
      ),
      stop("end_turn", { inputTokens: 1 }),
    ],
  },
  {
    way: "the commands of the agent",
    steps: [
      leak(
        update({
          sessionUpdate: "available_commands_update",
          availableCommands: [
            { name: "{{plain}}", description: "{{plain}}", input: { hint: "{{plain}}" } },
          ],
        }),
      ),
    ],
  },
  {
    way: "names of config options and models",
    steps: [
      leak(
        update({
          sessionUpdate: "config_option_update",
          configOptions: [
            {
              id: "mode",
              name: "{{plain}}",
              category: "mode",
              type: "select",
              currentValue: "{{plain}}",
              options: [{ value: "{{plain}}", name: "{{base64}}" }],
            },
          ],
        }),
      ),
    ],
  },
  {
    way: "a permission request: title, input, names and IDs of options",
    steps: [
      leakAll(
        ask({
          id: "ask",
          title: "Run {{plain}}",
          input: { command: "echo {{plain}}" },
          options: [
            { optionId: "allow", name: "Allow {{plain}}", kind: "allow_once" },
            { optionId: "{{plain}}", name: "Other", kind: "reject_once" },
          ],
        }),
      ),
    ],
  },
  {
    way: "a question to a person",
    steps: [
      leakAll(mcp("ask_human", { question: "Is {{plain}} right?", options: ["no"] })),
      stop("end_turn"),
    ],
  },
  {
    way: "an event to wait for",
    steps: [
      leakAll(mcp("wait_for_event", { name: "it", description: "{{plain}}" })),
      { step: "leak", first: 1, steps: [mcp("wait_for_event", { name: "{{plain}}" })] },
      stop("end_turn"),
    ],
  },
  { way: "the reason of a stop", steps: [leakAll(stop("{{plain}}"))] },
  {
    way: "an error: message and data",
    steps: [
      leakAll(
        fail({
          code: -32603,
          message: "Bad key {{plain}}",
          data: { detail: "{{plain}}", more: ["{{base64}}"] },
        }),
      ),
    ],
  },
  {
    way: "stderr, and the exit of the agent",
    steps: [leak(stderr("{{plain}}\n{{base64}}\n")), exit({ code: 3 })],
  },
  {
    way: "a key without a newline at the end of stderr",
    steps: [leakAll(exit({ code: 4, stderr: "{{plain}}" }))],
  },
  {
    way: "lines that are no protocol",
    steps: [leak(noise("debug: {{plain}}"), noise("{ {{escaped}}"))],
  },
  {
    way: "JSON with escaped letters",
    steps: [leak(raw('{"jsonrpc":"2.0","method":"_x","params":{"text":"{{escaped}}"}}\n'))],
  },
  {
    way: "methods, unknown updates and messages for another session",
    steps: [
      leak(
        notify("_{{plain}}", { key: "{{plain}}" }),
        update({ sessionUpdate: "{{plain}}", key: "{{plain}}" }),
        notify("session/update", { sessionId: "{{plain}}", update: {} }),
      ),
      leakAll(request("_ask/{{plain}}", { key: "{{plain}}" })),
    ],
  },
  { way: "the ID of the agent's session", provider: "named", steps: [say("Hello.")] },
  { way: "names of models", provider: "models", steps: [say("Hello.")] },
  { way: "the ways to log in", provider: "login", steps: [say("Hello.")] },
  { way: "an error while it starts", provider: "failing", steps: [say("Hello.")] },
  {
    way: "a long output whose middle is left out, cut inside the secret",
    steps: [
      {
        step: "leak",
        first: 3,
        steps: [
          call({
            status: "completed",
            rawOutput: `${"y".repeat(131_020)}{{plain}}${"z".repeat(200_000)}`,
          }),
        ],
      },
    ],
  },
];

/** Options of the scripted agent for the ways with another provider. */
export const PROVIDERS = {
  named: { sessionId: "session {{plain}}", capabilities: { load: true, resume: true } },
  models: { models: ["{{plain}}"], modes: ["{{base64}}"] },
  login: {
    auth: {
      methods: [{ id: "{{plain}}", name: "{{plain}}", description: "{{hex}}" }],
      accepts: null,
    },
  },
  failing: {
    at: {
      session: [
        leakAll(
          stderr("{{plain}}"),
          fail({ code: -32602, message: "No: {{plain}}", data: "{{base64}}" }),
        ),
      ],
    },
  },
} as const;
