import { errorText } from "@holdfast/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { repositoriesQuery } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { Field, focusOnMount, Input, Select } from "../ui/field.tsx";

/** Chooses a known repository, or adds one by its path. */
export function RepositoryField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (id: string) => void;
}): ReactElement {
  const { data } = useQuery(repositoriesQuery);
  const [isAdding, setAdding] = useState(false);
  const repos = data?.repos ?? [];
  const mustAdd = data !== undefined && repos.length === 0;
  if (isAdding || mustAdd)
    return (
      <AddRepository
        onAdded={(id) => {
          setAdding(false);
          onChange(id);
        }}
        onCancel={mustAdd ? null : () => setAdding(false)}
      />
    );
  const path = repos.find(({ id }) => id === value)?.path;
  return (
    <Field label="Repository" hint={path}>
      {(ids) => (
        <div className="flex gap-2">
          <Select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
            {repos.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
          <Button className="shrink-0" onClick={() => setAdding(true)}>
            Add
          </Button>
        </div>
      )}
    </Field>
  );
}

export function AddRepository({
  onAdded,
  onCancel,
  takesFocus = true,
}: {
  readonly takesFocus?: boolean;
  readonly onAdded: (id: string) => void;
  readonly onCancel: (() => void) | null;
}): ReactElement {
  const [path, setPath] = useState("");
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: () => client.repos.add({ path: path.trim() }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
      onAdded(id);
    },
  });
  const add = (): void => {
    if (path.trim() !== "" && !adding.isPending) adding.mutate();
  };
  const addByKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  return (
    <Field
      label="Add a repository"
      hint="The folder of a Git repository on the server's machine, inside its workspace root."
      error={adding.error === null ? null : errorText(adding.error)}
    >
      {(ids) => (
        <div className="flex gap-2">
          <Input
            {...ids}
            ref={takesFocus ? focusOnMount : null}
            placeholder="/home/me/project"
            spellCheck={false}
            autoCapitalize="off"
            value={path}
            onChange={(event) => setPath(event.target.value)}
            onKeyDown={addByKey}
          />
          <Button className="shrink-0" tone="primary" busy={adding.isPending} onClick={add}>
            Add
          </Button>
          {onCancel !== null && (
            <Button className="shrink-0" onClick={onCancel}>
              Back
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}
