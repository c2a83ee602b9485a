import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type ClientCapabilities,
  type InputRequests,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Call, Surface, Tool } from "../../../packages/server/src/doors/mcp/surface.ts";
import { simpleTool, textResult } from "./fixture-tool.ts";
import {
  askModel,
  askText,
  askYesOrNo,
  hasAccepted,
  rootsIn,
  saidIn,
  textIn,
} from "./input-requests.ts";

/** How far a call with several rounds has come. */
const stateSchema = z.object({ tool: z.string(), name: z.string().nullable() });
type State = z.infer<typeof stateSchema>;

const codec = createRequestStateCodec<State>({ key: crypto.getRandomValues(new Uint8Array(32)) });

export const readState: NonNullable<Surface["readState"]> = (state, context) =>
  codec.verify(state, context);

function stateOf({ context }: Call): State | null {
  return stateSchema.safeParse(context.mcpReq.requestState()).data ?? null;
}

/** Tools that need answers before they can work: each call says what it still needs, or works. */
export const inputTools: readonly Tool[] = [
  simpleTool("test_input_required_result_elicitation", (call) => {
    const name = textIn(call, "user_name", "name");
    return name === null
      ? inputRequired({ inputRequests: { user_name: askText("name", "Who are you?") } })
      : textResult(`Hello, ${name}!`);
  }),
  simpleTool("test_input_required_result_sampling", (call) => {
    const said = saidIn(call, "capital_question");
    const question = askModel("What is the capital of France?");
    return said === null
      ? inputRequired({ inputRequests: { capital_question: question } })
      : textResult(`The model said ${said}.`);
  }),
  simpleTool("test_input_required_result_list_roots", (call) => {
    const roots = rootsIn(call, "client_roots");
    return roots === null
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : textResult(`The folders of the client: ${roots.join(", ")}`);
  }),
  simpleTool("test_input_required_result_request_state", (call) =>
    hasAccepted(call, "confirm") && stateOf(call) !== null
      ? textResult("state-ok: it came back as it was given out.")
      : confirm("request_state"),
  ),
  simpleTool("test_input_required_result_tampered_state", (call) =>
    hasAccepted(call, "confirm") && stateOf(call) !== null
      ? textResult("It came back as it was given out.")
      : confirm("tampered_state"),
  ),
  simpleTool("test_input_required_result_multiple_inputs", async (call) => {
    const name = textIn(call, "user_name", "name");
    const greeting = saidIn(call, "greeting");
    const roots = rootsIn(call, "client_roots");
    if (name !== null && greeting !== null && roots !== null)
      return textResult(`${name} has ${roots.length} folders, and the model says ${greeting}.`);
    return inputRequired({
      inputRequests: {
        user_name: askText("name", "Who are you?"),
        greeting: askModel("Say hello."),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ tool: "multiple_inputs", name: null }),
    });
  }),
  simpleTool("test_input_required_result_multi_round", async (call) => {
    const name = stateOf(call)?.name ?? null;
    const color = textIn(call, "step2", "color");
    if (name !== null && color !== null) return textResult(`${name} likes ${color}.`);
    const given = name ?? textIn(call, "step1", "name");
    return inputRequired({
      inputRequests:
        given === null
          ? { step1: askText("name", "First, who are you?") }
          : { step2: askText("color", "Then, which colour do you like?") },
      requestState: await codec.mint({ tool: "multi_round", name: given }),
    });
  }),
  simpleTool("test_input_required_result_capabilities", (call) => {
    if (call.context.mcpReq.inputResponses !== undefined) return textResult("It was answered.");
    const inputRequests = requestsFor(call);
    return Object.keys(inputRequests).length === 0
      ? textResult("The client can answer nothing.")
      : inputRequired({ inputRequests });
  }),
];

async function confirm(tool: string) {
  return inputRequired({
    inputRequests: { confirm: askYesOrNo("Go on?") },
    requestState: await codec.mint({ tool, name: null }),
  });
}

/** Only what the client has declared. */
function requestsFor({ context }: Call): InputRequests {
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const declared = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  return {
    ...(declared.elicitation !== undefined && { user_name: askText("name", "Who are you?") }),
    ...(declared.sampling !== undefined && { greeting: askModel("Say hello.") }),
    ...(declared.roots !== undefined && { client_roots: inputRequired.listRoots() }),
  };
}
