import type { InboxUnusedAnswer } from "@holdfast/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { SUSPENSIONS } from "../api/queries.ts";
import { Link } from "../app/link.tsx";
import { Button } from "../ui/button.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { showFailure } from "../ui/toast.ts";

/** An action that was allowed and that the agent has not done, as far as can be seen. */
export function UnusedCard({
  unused,
  name,
}: {
  readonly unused: InboxUnusedAnswer;
  readonly name: string;
}): ReactElement {
  const titleId = useId();
  const queries = useQueryClient();
  const { sessionId, runId, suspensionId, title, at } = unused;
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.dismissUnused(sessionId, runId),
    onSuccess: (inbox) => void queries.setQueryData([SUSPENSIONS], inbox),
    onError: (error) => showFailure("It was not dismissed", error),
  });
  return (
    <section
      aria-labelledby={titleId}
      data-approval={suspensionId}
      tabIndex={-1}
      className="flex shrink-0 flex-col gap-3 rounded-lg border border-warn bg-surface p-3 sm:p-4"
    >
      <header className="flex flex-col gap-1">
        <Link
          to={{ page: "session", id: sessionId }}
          className="touch-target inline-flex items-center self-start text-sm text-accent underline-offset-2 wrap-anywhere hover:underline"
        >
          {name}
        </Link>
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
          <span className="font-semibold text-warn">Allowed, not done</span>
          <RelativeTime time={at} />
        </p>
        <h2 id={titleId} className="text-sm font-semibold wrap-anywhere">
          {title}
        </h2>
      </header>
      <p className="text-sm text-muted">
        The agent was gone before the answer, and the next one ended its turn without doing this.
        Send the session a message to ask for it again.
      </p>
      <Button className="self-start" busy={isPending} onClick={() => mutate()}>
        Dismiss
      </Button>
    </section>
  );
}
