import { LoaderCircle } from "lucide-react";
import { type ReactElement, useSyncExternalStore } from "react";
import { Clock } from "../../ui/clock.tsx";
import type { TranscriptStore } from "../transcript-store.ts";
import { nowWords } from "./now-words.ts";

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
  return (
    <section className="now-line" aria-label="Current activity">
      <LoaderCircle aria-hidden size={14} className="now-sign" />
      <span className="now-words">{nowWords(now, { isHanded, agent })}</span>
      {since !== null && <Clock since={since} className="now-clock" />}
    </section>
  );
}
