import type { Phase, Session } from "@holdfast/protocol";
import { useState, type ReactElement } from "react";
import { capital } from "../../api/session-name.ts";
import { absoluteTime, durationText } from "../../ui/time.ts";

/** The phases as a proportional bar and a list. */
export function PhaseTimeline({ session }: { readonly session: Session }): ReactElement {
  const [nowMs] = useState(Date.now);
  const stays = phaseStays(session, nowMs);
  const timed = stays.filter(({ durationMs }) => (durationMs ?? 0) > 0);
  return (
    <div className="flex flex-col gap-4">
      {timed.length > 1 && (
        <div aria-hidden="true" className="flex h-2 gap-px overflow-hidden rounded-full">
          {timed.map(({ phase, since, durationMs }) => (
            <span
              key={`${phase} ${since}`}
              className={`min-w-1 ${COLORS[phase]}`}
              style={{ flexGrow: durationMs ?? 0, flexBasis: 0 }}
            />
          ))}
        </div>
      )}
      <ol className="flex flex-col gap-2">
        {stays.map((stay) => (
          <Stay key={`${stay.phase} ${stay.since}`} stay={stay} />
        ))}
      </ol>
    </div>
  );
}

function Stay({ stay }: { readonly stay: PhaseStay }): ReactElement {
  const { phase, since, durationMs, current } = stay;
  return (
    <li className="flex items-baseline gap-3" aria-current={current ? "step" : undefined}>
      <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${COLORS[phase]}`} />
      <span className={current ? "font-semibold" : ""}>{capital(phase)}</span>
      <span className="ml-auto text-xs text-muted">
        {since === null ? "earlier" : absoluteTime(since)}
      </span>
      <span className="w-24 text-right tabular-nums">
        {durationMs === null ? "" : durationText(durationMs)}
      </span>
    </li>
  );
}

const COLORS = {
  initializing: "bg-line-strong",
  investigating: "bg-accent/60",
  planning: "bg-accent/80",
  approval: "bg-warn",
  executing: "bg-accent",
  validating: "bg-ok/70",
  completed: "bg-ok",
  failed: "bg-danger",
  abandoned: "bg-line-strong",
} as const satisfies Record<Phase, string>;

/** The time spent in a phase. */
interface PhaseStay {
  readonly phase: Phase;
  /** Null when the start is no longer stored. */
  readonly since: string | null;
  /** Null when unknown, and for a final phase. */
  readonly durationMs: number | null;
  readonly current: boolean;
}

const FINAL: ReadonlySet<Phase> = new Set(["completed", "failed", "abandoned"]);

/** The phases of a session in order, the current one last. */
export function phaseStays(
  session: Pick<Session, "phase" | "phaseHistory" | "createdAt" | "finalizedAt" | "archivedAt">,
  nowMs: number,
): readonly PhaseStay[] {
  const { phase, phaseHistory, createdAt } = session;
  const past = phaseHistory.map(({ from, durationMs }, index): PhaseStay => {
    const before = phaseHistory[index - 1];
    const since = before?.at ?? (durationMs === null ? null : createdAt);
    return { phase: from, since, durationMs, current: false };
  });
  const since = phaseHistory.at(-1)?.at ?? createdAt;
  const end = session.finalizedAt ?? session.archivedAt;
  const untilMs = end === null ? nowMs : Date.parse(end);
  const durationMs = FINAL.has(phase) ? null : Math.max(0, untilMs - Date.parse(since));
  return [...past, { phase, since, durationMs, current: true }];
}
