import { errorText } from "@holdfast/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { repositoriesQuery } from "../api/queries.ts";
import { AddRepository } from "../list/repository-field.tsx";
import { Button } from "../ui/button.tsx";
import { ActionRow, Section } from "./section.tsx";

export function Repositories(): ReactElement {
  const { data, error } = useQuery(repositoriesQuery);
  const queries = useQueryClient();
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
