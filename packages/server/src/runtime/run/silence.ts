import { setTimeout as pause } from "node:timers/promises";
import { AgentFault } from "../../providers/provider.ts";

export interface Listening {
  /** How long an agent may say nothing. */
  readonly silentMs: number;
  /** How long it has said nothing so far; while it waits for a person it is not silent. */
  readonly quietMs: () => number;
}

/** What `ending` becomes, unless the agent falls silent first: then a fault. */
export async function unlessSilent<T>(
  ending: Promise<T>,
  { silentMs, quietMs }: Listening,
): Promise<T> {
  const over = new AbortController();
  const silence = (async (): Promise<never> => {
    for (;;) {
      const leftMs = silentMs - quietMs();
      if (leftMs <= 0) throw silentFault(silentMs);
      await pause(Math.max(10, leftMs), undefined, { signal: over.signal, ref: false });
    }
  })();
  silence.catch(() => {});
  try {
    return await Promise.race([ending, silence]);
  } finally {
    over.abort();
    ending.catch(() => {});
  }
}

function silentFault(silentMs: number): AgentFault {
  const minutes = Math.round(silentMs / 60_000);
  const span = minutes > 0 ? `${minutes} min` : `${silentMs} ms`;
  return new AgentFault("agent_unresponsive", `The agent said nothing for ${span}.`);
}
