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
  /** Whose agents do it at each start, untold; null: they do it when they are told to. */
  readonly provider: string | null;
}

/** The file in the repository by which an agent shows that it has begun to. */
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

/** What an agent does that no agent should, at any moment in its life. */
const TOLD: readonly Pick<Misbehaviour, "name" | "steps">[] = [
  { name: "lines that are no JSON", steps: NOT_JSON.map(noise) },
  { name: "half a line, then its end", steps: [raw('{"jsonrpc":"2.0","meth'), exit()] },
  { name: "a line of 3 MiB", steps: [huge(3 * MIB)] },
  { name: "a line longer than any may be", steps: [huge(9 * MIB)] },
  { name: "requests that nobody knows", steps: [request("fs/forget_all"), notify("no/such")] },
  { name: "answers to what was never asked", steps: [strayResult(), strayResult()] },
  { name: "frames that are not of the protocol", steps: [frames()] },
  { name: "updates of unknown kinds and with wrong fields", steps: [odd()] },
  { name: "an update nested too deep", steps: [deep(5_000)] },
  { name: "the same updates over and over", steps: Array.from({ length: 20 }, () => repeated) },
  {
    name: "a tool that ends twice, and differently",
    steps: [endsAs("completed"), endsAs("failed")],
  },
  { name: "two answers to one prompt", steps: [doubleResult()] },
  { name: "closes stdout and lives on", steps: [ignore("eof"), closeStdout()] },
  { name: "exits with a code", steps: [exit({ code: 3, stderr: "out of memory\n" })] },
  { name: "exits as if all were well", steps: [exit({ code: 0 })] },
  { name: "is ended by a signal", steps: [exit({ signal: "SIGSEGV" })] },
  {
    name: "listens to no cancel, SIGTERM or end of input",
    steps: [ignore("cancel", "sigterm", "eof")],
  },
  { name: "floods stderr", steps: Array.from({ length: 8 }, () => stderr("E".repeat(20_000))) },
  { name: "floods updates", steps: [flood({ count: 3_000, text: "x " })] },
  {
    name: "ends the prompt while its question is open",
    steps: [ask({ id: "open", title: "rm", isLeft: true }), wait(100), stop("end_turn")],
  },
  { name: "ends with a reason that nobody knows", steps: [stop("bored")] },
  { name: "fails with a code that nobody knows", steps: [fail({ code: 7, message: "" })] },
  { name: "talks after the end", steps: [late("and then", 100), late("…", 400), stop("end_turn")] },
  { name: "speaks for another session", steps: [stranger("not mine")] },
  {
    name: "leaves processes that do not want to go",
    steps: [stubborn("setsid"), stubborn("group")],
  },
];

/** Before it has answered to anything. */
const AT_START: readonly Pick<Misbehaviour, "name" | "steps">[] = [
  { name: "noise before the first word", steps: [...NOT_JSON.map(noise), stderr("warning\n")] },
  { name: "frames before the first word", steps: [frames()] },
  { name: "answers before any question", steps: [strayResult()] },
  { name: "updates of no session", steps: [odd(), say("early")] },
  { name: "a slow start under noise", steps: [noise("loading"), wait(400), noise("loaded")] },
  { name: "processes that do not want to go", steps: [stubborn("setsid")] },
  { name: "floods stderr at its start", steps: [stderr("E".repeat(100_000))] },
  { name: "listens to no SIGTERM from its start", steps: [ignore("sigterm", "eof")] },
];

export const MISBEHAVIOURS = TOLD.map((each): Misbehaviour => ({ ...each, provider: null }));
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
