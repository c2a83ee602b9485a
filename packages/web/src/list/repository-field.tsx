import { errorText } from "@holdfast/client";
import { FolderGit2 } from "lucide-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { foundQuery, repositoriesQuery } from "../api/queries.ts";
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
    mutationFn: (folder: string) => client.repos.add({ path: folder }),
    onSuccess: async ({ id }) => {
      void queries.invalidateQueries({ queryKey: foundQuery.queryKey });
      await queries.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
      onAdded(id);
    },
  });
  const add = (): void => {
    if (path.trim() !== "" && !adding.isPending) adding.mutate(path.trim());
  };
  const addByKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  return (
    <div className="flex flex-col gap-3">
      <FoundRepositories disabled={adding.isPending} onChoose={adding.mutate} />
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
    </div>
  );
}

/** More of them are added by their path. */
const SHOWN = 12;

/** The repositories in the workspace root that could be added, nearest first. */
function FoundRepositories({
  disabled,
  onChoose,
}: {
  readonly disabled: boolean;
  readonly onChoose: (path: string) => void;
}): ReactElement | null {
  const found = useQuery(foundQuery).data?.found ?? [];
  if (found.length === 0) return null;
  return (
    <ul aria-label="Repositories in the workspace root" className="flex flex-wrap gap-1.5">
      {found.slice(0, SHOWN).map(({ path, name }) => (
        <li key={path}>
          <Button
            title={path}
            disabled={disabled}
            icon={<FolderGit2 size={15} aria-hidden="true" />}
            onClick={() => onChoose(path)}
          >
            {name}
          </Button>
        </li>
      ))}
    </ul>
  );
}
