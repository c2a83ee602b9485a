import { LoaderCircle } from "lucide-react";
import { type ReactElement, useEffect, useState, useSyncExternalStore } from "react";
import type { TranscriptStore } from "../transcript-store.ts";

/** The run that is on. */
export interface RunningNow {
  /** Null if it is not known. */
  readonly since: string | null;
  readonly agent: string | null;
  /** Whether the agent has the message. */
  readonly isHanded: boolean;
}

/** The end of the transcript while a run is on: what the agent does, and for how long. */
export function NowLine({
  store,
  running: { since, agent, isHanded },
}: {
  readonly store: TranscriptStore;
  readonly running: RunningNow;
}): ReactElement {
  const now = useSyncExternalStore(store.subscribeNow, store.now);
  const waiting = isHanded ? "Working…" : `Starting ${agent ?? "the agent"}…`;
  return (
    <section className="now-line" aria-label="Current activity">
      <LoaderCircle aria-hidden size={14} className="now-sign" />
      <span className="now-words">{now ?? waiting}</span>
      {since !== null && <Clock since={since} />}
    </section>
  );
}

/** Counts the seconds by itself, so that nothing else renders again. */
function Clock({ since }: { readonly since: string }): ReactElement {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="now-clock" role="timer">
      {clockText(now - Date.parse(since))}
    </span>
  );
}

function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3_600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const two = (part: number): string => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
