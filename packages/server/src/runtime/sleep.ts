import { setTimeout as pause } from "node:timers/promises";
import { defined } from "../domain/defined.ts";

/** Resolves after the time or when the signal is aborted. Does not keep the process running. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, defined({ signal, ref: false })).catch(() => {});
}
