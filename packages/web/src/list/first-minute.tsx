import { errorText } from "@holdfast/client";
import type { Provider } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FolderGit2, MessageSquare, Plus } from "lucide-react";
import { useState, type ReactElement, type ReactNode } from "react";
import { client } from "../api/client.ts";
import { providersQuery, repositoriesQuery } from "../api/queries.ts";
import { openOverlay } from "../app/overlay.ts";
import { Button } from "../ui/button.tsx";
import { AddRepository } from "./repository-field.tsx";
import { SetUpAgents } from "./set-up-agents.tsx";

const EXAMPLES = [
  "Explain how this repository is organised, and where to start reading.",
  "Run the tests. If one fails, find out why and fix it.",
  "Review the last commit for mistakes.",
] as const;

/** The list of a server without sessions: what this is, and how to begin. */
export function FirstMinute(): ReactElement {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-xl flex-col gap-7 px-4 py-8">
        <header className="flex flex-col gap-1">
          <h2 className="text-base font-semibold">No sessions yet</h2>
          <p className="text-muted">
            Holdfast runs coding agents in your repositories and keeps every session, so you can
            close this page and come back from any browser.
          </p>
        </header>
        <FirstRepository />
        <FirstPrompt />
        <DefaultAgent />
      </div>
    </div>
  );
}

/** Each example opens the dialog, where it can still be changed. */
function FirstPrompt(): ReactElement {
  return (
    <Step title="Start with">
      <ul className="flex flex-col gap-1.5">
        {EXAMPLES.map((message) => (
          <li key={message}>
            <button
              type="button"
              onClick={() => openOverlay("new-session", { message })}
              className="touch-target flex w-full items-center gap-2.5 rounded-md border border-line bg-surface px-3 py-2 text-left hover:bg-hover"
            >
              <MessageSquare size={15} aria-hidden="true" className="shrink-0 text-muted" />
              {message}
            </button>
          </li>
        ))}
      </ul>
      <Button
        tone="primary"
        className="self-start"
        icon={<Plus size={16} aria-hidden="true" />}
        onClick={() => openOverlay("new-session")}
      >
        New session
      </Button>
    </Step>
  );
}

function DefaultAgent(): ReactElement {
  const { data, error } = useQuery(providersQuery);
  const queries = useQueryClient();
  const choosing = useMutation({
    mutationFn: (defaultProvider: string) => client.updateProviders({ defaultProvider }),
    onSuccess: (reply) => queries.setQueryData(providersQuery.queryKey, reply),
  });
  // State of its own, because a mutation says that it is pending only after the browser has shown the old choice again.
  const [choice, setChoice] = useState<string | null>(null);
  const providers = data?.providers ?? [];
  const chosen = choice ?? data?.defaultProvider;
  const problem = choosing.error ?? error;
  return (
    <Step title="Agents on this machine">
      <div role="radiogroup" aria-label="Default agent" className="flex flex-col">
        {providers
          .filter(({ installed }) => installed)
          .map((provider) => (
            <AgentOption
              key={provider.name}
              provider={provider}
              isChosen={provider.name === chosen}
              onChoose={() => {
                setChoice(provider.name);
                choosing.mutate(provider.name, { onSettled: () => setChoice(null) });
              }}
            />
          ))}
      </div>
      {problem !== null && (
        <p role="alert" className="text-xs text-danger">
          {errorText(problem)}
        </p>
      )}
      <SetUpAgents />
    </Step>
  );
}

function AgentOption({
  provider: { name, title, version, login },
  isChosen,
  onChoose,
}: {
  readonly provider: Provider;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): ReactElement {
  return (
    <label className="flex items-baseline gap-2.5 rounded-md px-2 py-1.5 touch-target hover:bg-hover has-checked:bg-accent-soft">
      <input
        type="radio"
        name="default-agent"
        className="translate-y-0.5 accent-accent"
        checked={isChosen}
        onChange={onChoose}
      />
      <span className="min-w-0">
        <span className="font-medium">{title}</span>{" "}
        <span className="text-muted">{version ?? name}</span>
        {isChosen && login !== null && (
          <span className="block text-xs text-muted">Not logged in yet? {login}</span>
        )}
      </span>
    </label>
  );
}

function FirstRepository(): ReactElement {
  const { data } = useQuery(repositoriesQuery);
  const [isAdding, setAdding] = useState(false);
  const repos = data?.repos ?? [];
  if (isAdding || repos.length === 0)
    return (
      <Step title="Repository">
        <AddRepository
          takesFocus={isAdding}
          onAdded={(repoId) => {
            setAdding(false);
            openOverlay("new-session", { repoId });
          }}
          onCancel={isAdding ? () => setAdding(false) : null}
        />
      </Step>
    );
  return (
    <Step title="Repository">
      <ul className="flex flex-wrap gap-1.5">
        {repos.map(({ id, name, path }) => (
          <li key={id}>
            <Button
              title={path}
              icon={<FolderGit2 size={15} aria-hidden="true" />}
              onClick={() => openOverlay("new-session", { repoId: id })}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
      <Button size="small" className="self-start" onClick={() => setAdding(true)}>
        Add a repository
      </Button>
    </Step>
  );
}

function Step({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="text-xs font-semibold text-muted">{title}</h3>
      {children}
    </section>
  );
}
