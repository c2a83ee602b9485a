import { errorText } from "@holdfast/client";
import type { RemovedSession } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { client } from "../api/client.ts";
import { removedQuery } from "../api/queries.ts";
import { goTo } from "../app/router.ts";
import { Button } from "../ui/button.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { showFailure } from "../ui/toast.ts";
import { Section } from "./section.tsx";

export function RemovedSessions(): ReactElement {
  const { data, error } = useQuery(removedQuery);
  const removed = data?.removed ?? [];
  return (
    <Section
      title="Removed sessions"
      says="Retention removes sessions that cannot go on. Each can be restored for a while."
    >
      {error !== null && <p className="text-danger">{errorText(error)}</p>}
      {data !== undefined && removed.length === 0 && <p>There are none.</p>}
      {removed.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {removed.map((session) => (
            <Row key={`${session.id} ${session.removedAt}`} session={session} />
          ))}
        </ul>
      )}
      {data !== undefined && data.total > removed.length && (
        <p className="mt-2 text-muted">
          These are the newest {removed.length} of {data.total}.
        </p>
      )}
    </Section>
  );
}

function Row({ session }: { readonly session: RemovedSession }): ReactElement {
  const queries = useQueryClient();
  const name = session.title ?? session.agentName ?? session.id;
  const restoring = useMutation({
    mutationFn: () => client.removed.restore(session.id),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: removedQuery.queryKey });
      goTo({ page: "session", id });
    },
    onError: (error) => showFailure("Not restored", error),
  });
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="text-xs text-muted">
          Removed <RelativeTime time={session.removedAt} />, kept until{" "}
          <RelativeTime time={session.keptUntil} />
        </span>
      </span>
      <Button
        size="small"
        tone="quiet"
        busy={restoring.isPending}
        aria-label={`Restore ${name}`}
        onClick={() => restoring.mutate()}
      >
        Restore
      </Button>
    </li>
  );
}
