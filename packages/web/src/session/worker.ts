import type { ProvidersReply, Run } from "@holdfast/protocol";

export interface Worker {
  readonly provider: string | null;
  readonly model: string | null;
}

/** Who has worked last, or works now; null when it is not known. */
export function workerOf(runs: readonly Run[]): Worker | null {
  const run = runs.findLast(({ startedAt, provider }) => startedAt !== null && provider !== null);
  return run === undefined ? null : { provider: run.provider, model: run.model };
}

/** Such as "Gemini CLI, gemini-pro". */
export function workerText(worker: Worker | null, providers: ProvidersReply | null): string | null {
  if (worker === null) return null;
  const name = worker.provider ?? providers?.defaultProvider ?? null;
  if (name === null) return worker.model;
  const about = providers?.providers.find((each) => each.name === name);
  const model = about?.models.find(({ id }) => id === worker.model)?.name ?? worker.model;
  return [about?.title ?? name, model].filter((part) => part !== null).join(", ");
}
