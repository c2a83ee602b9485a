import type { OpenSuspension } from "@holdfast/protocol";
import { Hand, TriangleAlert } from "lucide-react";
import type { ReactElement } from "react";
import { RelativeTime } from "../ui/relative-time.tsx";
import { EXPIRY_WORDS, KIND_NAMES } from "./approval.ts";
import type { Headline } from "./headline.ts";
import type { Outside } from "./outside.ts";
import { WRAPPED } from "./subject-view.tsx";
import { TickedText } from "./ticked-text.tsx";

/** The title, when it was asked, and until when. */
export function CardHead({
  suspension: { kind, createdAt, expiresAt },
  headline,
  titleId,
  hasTitle,
}: {
  readonly suspension: OpenSuspension;
  readonly headline: Headline;
  readonly titleId: string;
  /** False if the title is long and scrolls with the content. */
  readonly hasTitle: boolean;
}): ReactElement {
  const word = kind === "permission" ? headline.kind : KIND_NAMES[kind];
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      <Hand size={14} aria-hidden className="shrink-0 translate-y-0.5 text-warn" />
      {hasTitle && <CardTitle id={titleId} headline={headline} />}
      <p className="ml-auto flex flex-wrap gap-x-1.5 text-xs text-muted">
        {word !== null && <span className="font-medium text-warn">{word}</span>}
        {word !== null && <span aria-hidden="true">·</span>}
        <RelativeTime time={createdAt} />
        {expiresAt !== null && (
          <span>
            {EXPIRY_WORDS[kind]} <RelativeTime time={expiresAt} />
          </span>
        )}
      </p>
      {headline.more !== null && (
        <p className={`basis-full text-muted ${WRAPPED}`}>
          <TickedText text={headline.more} />
        </p>
      )}
    </div>
  );
}

export function CardTitle({
  id,
  headline: { title, code, counts },
}: {
  readonly id: string;
  readonly headline: Headline;
}): ReactElement {
  return (
    <h2 id={id} className={`min-w-0 flex-1 text-sm font-semibold ${WRAPPED}`}>
      <TickedText text={title} />
      {code !== null && (
        <>
          {" "}
          <span className="font-mono">{code}</span>
        </>
      )}
      {counts !== null && (
        <>
          {" "}
          <span className="font-normal text-ok tabular-nums">+{counts.added}</span>{" "}
          <span className="font-normal text-danger tabular-nums">−{counts.removed}</span>
        </>
      )}
    </h2>
  );
}

const OUTSIDE = {
  repository: "Outside the repository",
  worktree: "Outside this session’s worktree",
} as const satisfies Record<Outside["of"], string>;

/** A warning about files that the agent has no business with by default. */
export function OutsideWarning({ outside }: { readonly outside: Outside }): ReactElement {
  return (
    <p className="flex gap-2 rounded-md bg-warn-soft px-3 py-1.5 text-warn">
      <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span className={`min-w-0 ${WRAPPED}`}>
        <strong>{OUTSIDE[outside.of]}:</strong>{" "}
        <span className="font-mono text-[13px]">{outside.paths.join(", ")}</span>
      </span>
    </p>
  );
}
