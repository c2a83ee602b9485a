import { errorText } from "@holdfast/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { removedQuery, repositoriesQuery } from "../api/queries.ts";
import { usePageTitle } from "../app/page-title.ts";
import { goTo } from "../app/router.ts";
import { AddRepository } from "../list/repository-field.tsx";
import { Button } from "../ui/button.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ImportSession } from "./import-session.tsx";
import { Nodes } from "./nodes.tsx";
import { Providers } from "./providers.tsx";
import { ActionRow, Section } from "./section.tsx";
import { Server } from "./server.tsx";
import { ThisBrowser } from "./this-browser.tsx";
import { Tokens } from "./tokens.tsx";

export function SettingsPage(): ReactElement {
  usePageTitle("Settings");
  return (
    <main className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-4 pb-16 md:px-6">
        <h1 className="text-base font-semibold">Settings</h1>
        <ThisBrowser />
        <Providers />
        <Repositories />
        <ImportSession />
        <RemovedSessions />
        <Tokens />
        <Nodes />
        <Server />
      </div>
    </main>
  );
}

function Repositories(): ReactElement {
  const { data, error } = useQuery(repositoriesQuery);
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const repos = data?.repos ?? [];
  return (
    <Section
      title="Repositories"
      description="Agents work in these folders. Removing one here does not change the disk."
    >
      {error !== null && <p className="text-danger">{errorText(error)}</p>}
      {repos.length > 0 && (
        <ul className="mb-3 divide-y divide-line border-y border-line">
          {repos.map(({ id, name, path }) => (
            <ActionRow
              key={id}
              name={name}
              action="Remove"
              label={`Remove ${name} from the list`}
              failure="Not removed"
              onPress={async () => {
                await client.repos.remove(id);
                await queries.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
              }}
            >
              <code className="font-mono text-xs break-all text-muted">{path}</code>
            </ActionRow>
          ))}
        </ul>
      )}
      {isAdding ? (
        <AddRepository onAdded={() => setAdding(false)} onCancel={() => setAdding(false)} />
      ) : (
        <Button onClick={() => setAdding(true)}>Add a repository</Button>
      )}
    </Section>
  );
}

function RemovedSessions(): ReactElement {
  const { data, error } = useQuery(removedQuery);
  const queries = useQueryClient();
  const removed = data?.removed ?? [];
  return (
    <Section
      title="Removed sessions"
      description="Retention removes sessions that cannot continue. Each can be restored for a while."
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
