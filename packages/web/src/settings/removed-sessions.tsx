import { errorText } from "@holdfast/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { client } from "../api/client.ts";
import { removedQuery } from "../api/queries.ts";
import { goTo } from "../app/router.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ActionRow, Section } from "./section.tsx";

export function RemovedSessions(): ReactElement {
  const { data, error } = useQuery(removedQuery);
  const queries = useQueryClient();
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
          {removed.map((session) => {
            const name = session.title ?? session.agentName ?? session.id;
            return (
              <ActionRow
                key={`${session.id} ${session.removedAt}`}
                name={name}
                action="Restore"
                label={`Restore ${name}`}
                failure="Not restored"
                onPress={async () => {
                  const { id } = await client.removed.restore(session.id);
                  await queries.invalidateQueries({ queryKey: removedQuery.queryKey });
                  goTo({ page: "session", id });
                }}
              >
                <span className="text-xs text-muted">
                  Removed <RelativeTime time={session.removedAt} />, kept until{" "}
                  <RelativeTime time={session.keptUntil} />
                </span>
              </ActionRow>
            );
          })}
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
