import { errorText } from "@holdfast/client";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { pageStorage } from "../api/page-storage.ts";
import { providersQuery, repositoriesQuery } from "../api/queries.ts";
import type { Start } from "../app/overlay.ts";
import { goTo } from "../app/router.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Input, Problem } from "../ui/field.tsx";
import { loaded } from "../ui/loaded.tsx";
import { WorkspaceField } from "../worktree/workspace-field.tsx";
import { ConnectionFields } from "./connection-fields.tsx";
import { MessageField } from "./message-field.tsx";
import {
  createSession,
  keepLastChoice,
  readLastChoice,
  toRequest,
  type Draft,
} from "./new-session.ts";
import { ProviderFields } from "./provider-fields.tsx";
import { RepositoryField } from "./repository-field.tsx";

const CompareDialog = loaded(() =>
  import("../compare/compare-dialog.tsx").then((m) => m.CompareDialog),
);

const FORM = "new-session";

export function NewSessionDialog({
  start,
  onClose,
}: {
  readonly start: Start;
  readonly onClose: () => void;
}): ReactElement {
  const { draft, change, problem, isBusy, create } = useNewSession(start, onClose);
  const [isComparing, setComparing] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void create();
  };
  if (isComparing) {
    const { repoId, message, base } = draft;
    return <CompareDialog typed={{ repoId, message, base }} onClose={onClose} />;
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New session"
      footer={
        <>
          <Button tone="quiet" className="mr-auto -ml-3" onClick={() => setComparing(true)}>
            Compare agents…
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={FORM}
            tone="primary"
            busy={isBusy}
            disabled={draft.repoId === ""}
          >
            {draft.message.trim() === "" ? "Create" : "Create and send"}
          </Button>
        </>
      }
    >
      <form id={FORM} onSubmit={submit} className="flex flex-col gap-4">
        <RepositoryField value={draft.repoId} onChange={(repoId) => change({ repoId })} />
        <ProviderFields
          provider={draft.provider}
          model={draft.model}
          mode={draft.mode}
          options={draft.options}
          onChange={change}
        />
        <MessageField
          label="First message"
          hint="Leave empty to start later. Ctrl Enter sends."
          placeholder="What should the agent do?"
          value={draft.message}
          onChange={(message) => change({ message })}
          onSubmit={() => void create()}
        />
        <Field label="Title" hint="Defaults to your first message.">
          {(ids) => (
            <Input
              {...ids}
              maxLength={500}
              value={draft.title}
              onChange={(event) => change({ title: event.target.value })}
            />
          )}
        </Field>
        <WorkspaceField workspace={draft.workspace} base={draft.base} onChange={change} />
        <ConnectionFields
          mcpServers={draft.mcpServers}
          directories={draft.directories}
          onChange={change}
        />
        <Problem text={problem} />
      </form>
    </Dialog>
  );
}

const NOTHING_TYPED = {
  mode: "",
  options: {},
  title: "",
  message: "",
  workspace: "",
  base: "",
  mcpServers: "",
  directories: "",
} as const;

function useNewSession(start: Start, onClose: () => void) {
  const chosen = useDefaults();
  const [typed, setTyped] = useState<Partial<Draft>>(start);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState(() => crypto.randomUUID());
  const draft: Draft = { ...chosen, ...NOTHING_TYPED, ...typed };
  return {
    draft,
    problem,
    isBusy,
    change: (changes: Partial<Draft>) => {
      setTyped((before) => ({ ...before, ...changes }));
      // A retry keeps its idempotency key; a changed request gets a new one.
      setKey(crypto.randomUUID());
    },
    create: async () => {
      if (isBusy || draft.repoId === "") return;
      setBusy(true);
      setProblem(null);
      try {
        const id = await createSession(client.sessions, toRequest(draft), key);
        keepLastChoice(pageStorage, draft);
        onClose();
        goTo({ page: "session", id });
      } catch (error) {
        setProblem(errorText(error));
        setBusy(false);
      }
    },
  };
}

/** The last choice where it is still available, otherwise the server's default. */
function useDefaults(): Pick<Draft, "repoId" | "provider" | "model"> {
  const [last] = useState(() => readLastChoice(pageStorage));
  const repos = useQuery(repositoriesQuery).data?.repos ?? [];
  const { providers = [], defaultProvider = "" } = useQuery(providersQuery).data ?? {};
  const repo = repos.find(({ id }) => id === last.repoId) ?? repos[0];
  const usable = providers.filter(({ installed }) => installed);
  const isUsable = (wanted: string | undefined): boolean =>
    usable.some(({ name }) => name === wanted);
  const provider = [last.provider, defaultProvider, usable[0]?.name].find(isUsable) ?? "";
  const models = usable.find(({ name }) => name === provider)?.models ?? [];
  const model = models.find(({ id }) => id === last.model)?.id ?? "";
  return { repoId: repo?.id ?? "", provider, model };
}
