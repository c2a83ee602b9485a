import { errorText } from "@holdfast/client";
import type { Provider } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState, type ReactElement, type ReactNode } from "react";
import { client } from "../api/client.ts";
import { providersQuery, repositoriesQuery } from "../api/queries.ts";
import { openOverlay } from "../app/overlay.ts";
import { Button } from "../ui/button.tsx";
import { MissingProviders } from "./missing-providers.tsx";
import { AddRepository } from "./repository-field.tsx";

/** The list of a server without sessions: choose the default agent, add a repository, and begin. */
export function FirstMinute(): ReactElement {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-xl flex-col gap-7 px-4 py-8">
        <header className="flex flex-col gap-1">
          <h2 className="text-base font-semibold">No sessions yet</h2>
          <p className="text-muted">
            Choose your agent and the repository it works in. The demo agent answers without a key.
          </p>
        </header>
        <DefaultAgent />
        <FirstRepository />
        <Button
          tone="primary"
          className="self-start"
          icon={<Plus size={16} aria-hidden="true" />}
          onClick={() => openOverlay("new-session")}
        >
          New session
        </Button>
      </div>
    </div>
  );
}

function DefaultAgent(): ReactElement {
  const { data, error, refetch, isFetching } = useQuery(providersQuery);
  const queries = useQueryClient();
  const choosing = useMutation({
    mutationFn: (defaultProvider: string) => client.updateProviders({ defaultProvider }),
    onSuccess: (reply) => queries.setQueryData(providersQuery.queryKey, reply),
  });
  const providers = data?.providers ?? [];
  const chosen = choosing.isPending ? choosing.variables : data?.defaultProvider;
  const problem = choosing.error ?? error;
  return (
    <Step title="Default agent">
      <div role="radiogroup" aria-label="Default agent" className="flex flex-col">
        {providers
          .filter(({ installed }) => installed)
          .map((provider) => (
            <AgentOption
              key={provider.name}
              provider={provider}
              isChosen={provider.name === chosen}
              onChoose={() => choosing.mutate(provider.name)}
            />
          ))}
      </div>
      {problem !== null && (
        <p role="alert" className="text-xs text-danger">
          {errorText(problem)}
        </p>
      )}
      <MissingProviders providers={providers} />
      <Button size="small" className="self-start" busy={isFetching} onClick={() => void refetch()}>
        Look for agents again
      </Button>
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
          onAdded={() => setAdding(false)}
          onCancel={isAdding ? () => setAdding(false) : null}
        />
      </Step>
    );
  return (
    <Step title="Repository">
      <ul className="flex flex-col gap-1">
        {repos.map(({ id, name, path }) => (
          <li key={id} className="min-w-0 px-2">
            <span className="font-medium">{name}</span>{" "}
            <span className="break-all text-muted">{path}</span>
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
