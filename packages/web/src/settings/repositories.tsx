import { errorText } from "@holdfast/client";
import type { Repository } from "@holdfast/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { repositoriesQuery } from "../api/queries.ts";
import { AddRepository } from "../list/repository-field.tsx";
import { Button } from "../ui/button.tsx";
import { showFailure } from "../ui/toast.ts";
import { Section } from "./section.tsx";

export function Repositories(): ReactElement {
  const { data, error } = useQuery(repositoriesQuery);
  const [isAdding, setAdding] = useState(false);
  const repos = data?.repos ?? [];
  return (
    <Section
      title="Repositories"
      says="Where agents may work. Nothing on the disk is changed here."
    >
      {error !== null && <p className="text-danger">{errorText(error)}</p>}
      {repos.length > 0 && (
        <ul className="mb-3 divide-y divide-line border-y border-line">
          {repos.map((repository) => (
            <Row key={repository.id} repository={repository} />
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

function Row({ repository }: { readonly repository: Repository }): ReactElement {
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => client.repos.remove(repository.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: repositoriesQuery.queryKey }),
    onError: (error) => showFailure("Not removed", error),
  });
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="font-medium">{repository.name}</span>
        <code className="font-mono text-xs break-all text-muted">{repository.path}</code>
      </span>
      <Button
        size="small"
        tone="quiet"
        busy={removing.isPending}
        aria-label={`Remove ${repository.name} from the list`}
        onClick={() => removing.mutate()}
      >
        Remove
      </Button>
    </li>
  );
}
