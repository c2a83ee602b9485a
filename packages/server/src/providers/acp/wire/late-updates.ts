import type { AgentReport } from "../../provider.ts";

/** Whether the agents of a provider send updates of a prompt after their reply to it: known before, or seen since. */
export interface LateUpdates {
  readonly areExpected: boolean;
  /** One has come. */
  note(): void;
}

export function createLateUpdates(areKnown: boolean): LateUpdates {
  let areExpected = areKnown;
  return {
    get areExpected() {
      return areExpected;
    },
    note: () => {
      areExpected = true;
    },
  };
}

/** What an agent has said in its prompt so far. */
export interface PromptOutput {
  begin(): void;
  see(report: AgentReport): void;
  /** The agent has spoken, and no tool call is open: it has probably said everything. */
  readonly seemsWhole: boolean;
}

export function createPromptOutput(): PromptOutput {
  let hasSpoken = false;
  const openCalls = new Set<string>();
  return {
    begin: () => {
      hasSpoken = false;
      openCalls.clear();
    },
    see: (report) => {
      if (report.report === "text") hasSpoken = true;
      if (report.report !== "tool") return;
      if (report.ended) openCalls.delete(report.callId);
      else openCalls.add(report.callId);
    },
    get seemsWhole() {
      return hasSpoken && openCalls.size === 0;
    },
  };
}

export function isOutput({ report }: AgentReport): boolean {
  return OUTPUT.has(report);
}

const OUTPUT: ReadonlySet<AgentReport["report"]> = new Set([
  "text",
  "message",
  "plan",
  "tool",
  "output",
]);
