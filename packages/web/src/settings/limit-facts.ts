import type { ServerLimits } from "@holdfast/protocol";

/** The limits of the server as sentences. */
export function limitFacts(
  limits: ServerLimits,
): readonly { readonly name: string; readonly value: string }[] {
  const { liveAgents, queue, retries, idleMs, silentMs, permissionMs } = limits;
  return [
    {
      name: "Agents",
      value: `At most ${liveAgents} at once. An idle agent is stopped after ${duration(idleMs)}, a silent run after ${duration(silentMs)}.`,
    },
    {
      name: "Messages",
      value: `At most ${size(limits.messageBytes)} each, ${queue} queued per session. A transient failure is retried ${retries} times.`,
    },
    {
      name: "Permissions",
      value:
        permissionMs === null
          ? "Wait for an answer without a limit."
          : `Count as rejected after ${duration(permissionMs)}.`,
    },
    {
      name: "Requests",
      value: `At most ${size(limits.bodyBytes)}, a bundle ${size(limits.bundleBytes)}, metadata ${size(limits.metadataBytes)}. At most ${limits.streams} event streams.`,
    },
  ];
}

const STEP = 1024;

function size(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${rounded(bytes / STEP ** power)} ${units[power]}`;
}

function duration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return counted(seconds, "second");
  const minutes = seconds / 60;
  if (minutes < 120) return counted(minutes, "minute");
  return minutes < 2 * 24 * 60 ? counted(minutes / 60, "hour") : counted(minutes / 1_440, "day");
}

function counted(value: number, unit: string): string {
  const shown = rounded(value);
  return `${shown} ${shown === "1" ? unit : `${unit}s`}`;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
