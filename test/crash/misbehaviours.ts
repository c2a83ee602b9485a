import {
  ask,
  child,
  closeStdout,
  deep,
  doubleResult,
  exit,
  fail,
  flood,
  frames,
  huge,
  ignore,
  late,
  noise,
  notify,
  odd,
  raw,
  request,
  say,
  stderr,
  stop,
  stranger,
  strayResult,
  tool,
  update,
  wait,
  write,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";

export interface Misbehaviour {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The provider whose agents misbehave at each start; null if they misbehave on command. */
  readonly provider: string | null;
}

/** A misbehaving agent creates this file in the repository. */
export const MISBEHAVED = "misbehaved";

const MIB = 1024 * 1024;
const NOT_JSON = [
  '{"jsonrpc": oops',
  "Segmentation fault",
  "\u0000\u0001\u001B[31m",
  "}{",
  "\uFFFF",
];
const repeated = update({
  sessionUpdate: "tool_call",
  toolCallId: "again",
  title: "Again",
  kind: "read",
  status: "completed",
});

/** Misbehaviours on command, at any time. */
const ON_COMMAND: readonly Pick<Misbehaviour, "name" | "steps">[] = [
  { name: "lines that are not JSON", steps: NOT_JSON.map(noise) },
  { name: "half a line, then exits", steps: [raw('{"jsonrpc":"2.0","meth'), exit()] },
  { name: "a line of 3 MiB", steps: [huge(3 * MIB)] },
  { name: "a line longer than the limit", steps: [huge(9 * MIB)] },
  { name: "unknown requests", steps: [request("fs/forget_all"), notify("no/such")] },
  { name: "responses without a request", steps: [strayResult(), strayResult()] },
  { name: "frames outside the protocol", steps: [frames()] },
  { name: "updates of unknown kinds and with wrong fields", steps: [odd()] },
  { name: "an update nested too deep", steps: [deep(5_000)] },
  { name: "repeated updates", steps: Array.from({ length: 20 }, () => repeated) },
  {
    name: "a tool that ends twice with different results",
    steps: [endsAs("completed"), endsAs("failed")],
  },
  { name: "two responses to one prompt", steps: [doubleResult()] },
  { name: "closes stdout and continues to run", steps: [ignore("eof"), closeStdout()] },
  { name: "exits with an error code", steps: [exit({ code: 3, stderr: "out of memory\n" })] },
  { name: "exits with code 0", steps: [exit({ code: 0 })] },
  { name: "dies of a signal", steps: [exit({ signal: "SIGSEGV" })] },
  {
    name: "ignores cancel, SIGTERM and end of input",
    steps: [ignore("cancel", "sigterm", "eof")],
  },
  { name: "floods stderr", steps: Array.from({ length: 8 }, () => stderr("E".repeat(20_000))) },
  { name: "floods updates", steps: [flood({ count: 3_000, text: "x " })] },
  {
    name: "ends the prompt while its question is open",
    steps: [ask({ id: "open", title: "rm", isLeft: true }), wait(100), stop("end_turn")],
  },
  { name: "ends with an unknown stop reason", steps: [stop("bored")] },
  { name: "fails with an unknown error code", steps: [fail({ code: 7, message: "" })] },
  {
    name: "sends text after the end",
    steps: [late("and then", 100), late("…", 400), stop("end_turn")],
  },
  { name: "sends updates of another session", steps: [stranger("not mine")] },
  {
    name: "leaves processes that ignore signals",
    steps: [stubborn("setsid"), stubborn("group")],
  },
];

/** Misbehaviours before the agent's first response. */
const AT_START: readonly Pick<Misbehaviour, "name" | "steps">[] = [
  { name: "noise before the first response", steps: [...NOT_JSON.map(noise), stderr("warning\n")] },
  { name: "frames before the first response", steps: [frames()] },
  { name: "responses before any request", steps: [strayResult()] },
  { name: "updates without a session", steps: [odd(), say("early")] },
  { name: "a slow start with noise", steps: [noise("loading"), wait(400), noise("loaded")] },
  { name: "processes that ignore signals", steps: [stubborn("setsid")] },
  { name: "floods stderr at its start", steps: [stderr("E".repeat(100_000))] },
  { name: "ignores SIGTERM from its start", steps: [ignore("sigterm", "eof")] },
];

export const MISBEHAVIOURS = ON_COMMAND.map((each): Misbehaviour => ({ ...each, provider: null }));
export const MISBEHAVIOURS_AT_START = AT_START.map((each, index) => ({
  name: each.name,
  steps: [write(MISBEHAVED), ...each.steps],
  provider: `misbehaving-${index}`,
}));

function endsAs(ends: "completed" | "failed"): Step {
  return tool({ id: "both", title: "Both", kind: "read", ends });
}

function stubborn(how: "group" | "setsid"): Step {
  return child({ how, stubborn: true, seconds: 120 });
}
