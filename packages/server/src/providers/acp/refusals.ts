import { looseLabel } from "./wire/loose.ts";

/** Tells people which requests of an agent were refused, once per kind and prompt. */
export interface Refusals {
  /** A method that we do not know. The agent got "method not found". */
  unknown(method: string): void;
  /** A request that cannot be put to a person. `problem` follows the word "because". */
  invalid(what: string, problem: string): void;
  /** A new prompt: everything may be told again. What happened since the last one is told now. */
  begin(): void;
  end(): void;
}

/** Notices in one prompt. */
const MAX_TOLD = 20;

/** Requests of single vendors that mean nothing to a person: such an agent asks whether there is more input. */
const QUIET: ReadonlySet<string> = new Set(["craft/drainMidTurnQueue"]);

/** Without a prompt there is no run whose transcript could say it, so it waits for the next one. */
export function createRefusals(say: (text: string) => void): Refusals {
  const told = new Set<string>();
  let waiting: string[] = [];
  let isPrompted = false;
  const tell = (kind: string, text: string): void => {
    if (told.has(kind) || told.size >= MAX_TOLD) return;
    told.add(kind);
    if (isPrompted) say(text);
    else waiting.push(text);
  };
  return {
    unknown: (method) => {
      if (QUIET.has(method)) return;
      const name = looseLabel(method, 100) ?? "without a name";
      tell(
        `method ${name}`,
        `The agent sent a request that Holdfast does not support: ${name}. It was told so.`,
      );
    },
    invalid: (what, problem) =>
      tell(
        `${what}: ${problem}`,
        `The agent sent ${what} that could not be shown, because ${problem}. Nobody was asked, and the agent was told so.`,
      ),
    begin: () => {
      isPrompted = true;
      const late = waiting;
      waiting = [];
      told.clear();
      for (const text of late) say(text);
    },
    end: () => {
      isPrompted = false;
      told.clear();
    },
  };
}
