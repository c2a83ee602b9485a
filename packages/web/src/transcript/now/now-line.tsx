import { LoaderCircle, Square } from "lucide-react";
import { type ReactElement, useSyncExternalStore } from "react";
import { Button } from "../../ui/button.tsx";
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
  readonly onStop: () => void;
  readonly isStopping: boolean;
}

/** The end of the transcript while a run is on: what the agent does, for how long, and Stop. */
export function NowLine({
  store,
  running: { since, agent, isHanded, onStop, isStopping },
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
      <Button
        size="small"
        busy={isStopping}
        icon={<Square aria-hidden size={11} fill="currentColor" />}
        onClick={onStop}
      >
        Stop
      </Button>
    </section>
  );
}
