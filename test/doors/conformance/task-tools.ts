import { inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { StreamEvent } from "../../../packages/client/src/index.ts";
import {
  defineTool,
  RunOutcome,
  type Tool,
} from "../../../packages/server/src/doors/mcp/surface.ts";
import {
  elicit,
  form,
  fail,
  say,
  tool,
  wait,
} from "../../../packages/server/src/providers/testing/script.ts";
import { described } from "./fixture-tool.ts";
import { isOutput, type FixtureWork } from "./fixture-work.ts";
import { askText, textIn } from "./input-requests.ts";

/** Of a client that takes no tasks. */
const WAIT_MS = 60_000;

/** Tools whose work is the run of an agent. They return when the agent is at work, or has asked. */
export function taskTools({ begin, interrupted }: FixtureWork): readonly Tool[] {
  return [
    defineTool({
      ...described("slow_compute"),
      input: z.object({ seconds: z.number(), label: z.string().optional() }),
      async call({ seconds, label = "work" }, { signal }) {
        const steps = [
          tool({ id: "compute", title: `Compute ${label}` }),
          wait(seconds * 1_000),
          say(`${label} is done.`),
        ];
        return new RunOutcome(await begin(steps, isOutput, signal), WAIT_MS);
      },
    }),
    defineTool({
      ...described("confirm_delete"),
      input: z.object({ filename: z.string() }),
      async call({ filename }, { signal }) {
        const steps = [elicit(form(`Delete ${filename}?`, FIELDS)), say("Decided.")];
        return new RunOutcome(await begin(steps, isAsked(1), signal), WAIT_MS);
      },
    }),
    defineTool({
      ...described("multi_input"),
      input: z.object({}),
      async call(_args, { signal }) {
        const steps = [
          {
            step: "elicit-all",
            asks: ["First?", "Second?"].map((message) => ({ params: form(message, FIELDS) })),
          } as const,
          say("Both are answered."),
        ];
        return new RunOutcome(await begin(steps, isAsked(2), signal), WAIT_MS);
      },
    }),
    defineTool({
      ...described("failing_job"),
      input: z.object({}),
      needsTasks: true,
      async call(_args, { signal }) {
        const steps = [say("I try it."), fail({ code: -32_603, message: "it went wrong" })];
        return new RunOutcome(await begin(steps, isOutput, signal), WAIT_MS);
      },
    }),
    defineTool({
      ...described("protocol_error_job"),
      input: z.object({}),
      call: async () => new RunOutcome(interrupted, WAIT_MS),
    }),
    defineTool({
      ...described("test_tool_with_task"),
      input: z.object({}),
      needsTasks: true,
      async call(_args, call) {
        const name = textIn(call, "user_name", "name");
        if (name === null)
          return inputRequired({ inputRequests: { user_name: askText("name", "Who are you?") } });
        const run = await begin([say(`Done for ${name}.`)], isOutput, call.signal);
        return new RunOutcome(run, WAIT_MS);
      },
    }),
  ];
}

/** The suite answers each form with both. */
const FIELDS = { confirm: { type: "boolean" }, name: { type: "string" } };

function isAsked(count: number): (event: StreamEvent) => boolean {
  const asked = new Set<string>();
  return (event) => event.type === "suspension" && asked.add(event.data.id).size >= count;
}
