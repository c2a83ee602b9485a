import type { InboxUnusedAnswer } from "@holdfast/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useId } from "react";
import { client } from "../../api/client.ts";
import { suspensionsQuery } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { showFailure } from "../../ui/toast.ts";
import { TickedText } from "../ticked-text.tsx";

/** An allowed action that the agent apparently did not perform. */
export function UnusedCard({ unused }: { readonly unused: InboxUnusedAnswer }): ReactElement {
  const titleId = useId();
  const queries = useQueryClient();
  const { sessionId, runId, suspensionId, title, at } = unused;
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.dismissUnused(sessionId, runId),
    onSuccess: (inbox) => void queries.setQueryData(suspensionsQuery.queryKey, inbox),
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
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
          <span className="font-semibold text-warn">Allowed, not done</span>
          <RelativeTime time={at} />
        </p>
        <h3 id={titleId} className="text-sm font-semibold wrap-anywhere">
          <TickedText text={title} />
        </h3>
      </header>
      <p className="text-sm text-muted">
        The agent ended before the answer arrived, and the next agent did not perform this action.
        Send a message to ask for it again.
      </p>
      <Button className="self-start" busy={isPending} onClick={() => mutate()}>
        Dismiss
      </Button>
    </section>
  );
}
