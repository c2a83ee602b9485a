import { errorText } from "@holdfast/client";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { pageStorage } from "../api/page-storage.ts";
import { repositoriesQuery } from "../api/queries.ts";
import { goTo } from "../app/router.ts";
import { MessageField } from "../list/message-field.tsx";
import { readLastChoice } from "../list/new-session.ts";
import { RepositoryField } from "../list/repository-field.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/field.tsx";
import { BaseField } from "../worktree/base-field.tsx";
import { AgentsField } from "./agents-field.tsx";
import { missingText } from "./compare-texts.ts";
import { startComparison, type Comparison } from "./start-comparison.ts";

const FORM = "compare-agents";

/** Gives several agents the same message. It takes over what was typed for a new session. */
export function CompareDialog({
  typed = {},
  onClose,
}: {
  readonly typed?: Partial<Comparison>;
  readonly onClose: () => void;
}): ReactElement {
  const { draft, change, problem, isBusy, start } = useComparison(typed, onClose);
  const missing = missingText(draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void start();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Compare agents"
      description="The same message for several agents. You take the work that you like best."
      footer={
        <>
          {missing !== null && <p className="mr-auto self-center text-xs text-muted">{missing}</p>}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={FORM}
            tone="primary"
            busy={isBusy}
            disabled={missing !== null}
          >
            Compare
          </Button>
        </>
      }
    >
      <form id={FORM} onSubmit={submit} className="flex flex-col gap-4">
        <RepositoryField value={draft.repoId} onChange={(repoId) => change({ repoId })} />
        <AgentsField chosen={draft.agents} onChange={(agents) => change({ agents })} />
        <MessageField
          label="Message"
          hint="Ctrl Enter starts the comparison."
          placeholder="What should the agents do?"
          value={draft.message}
          onChange={(message) => change({ message })}
          onSubmit={() => void start()}
        />
        <BaseField value={draft.base} onChange={(base) => change({ base })} />
        <Problem text={problem} />
      </form>
    </Dialog>
  );
}

function useComparison(initial: Partial<Comparison>, onClose: () => void) {
  const repoId = useLastRepository();
  const [typed, setTyped] = useState(initial);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState(() => crypto.randomUUID());
  const draft: Comparison = { repoId, agents: [], message: "", base: "", ...typed };
  return {
    draft,
    problem,
    isBusy,
    change: (changes: Partial<Comparison>) => {
      setTyped((before) => ({ ...before, ...changes }));
      // Other agents join the sessions that a failed attempt has created; another request does not.
      if (changes.agents === undefined) setKey(crypto.randomUUID());
    },
    start: async () => {
      if (isBusy || missingText(draft) !== null) return;
      setBusy(true);
      setProblem(null);
      try {
        const ids = await startComparison(client.sessions, draft, key);
        onClose();
        goTo({ page: "compare", search: { ids: ids.join(",") } });
      } catch (error) {
        setProblem(errorText(error));
        setBusy(false);
      }
    },
  };
}

/** The repository of the last new session if it is still there, otherwise the first. */
function useLastRepository(): string {
  const [last] = useState(() => readLastChoice(pageStorage));
  const repos = useQuery(repositoriesQuery).data?.repos ?? [];
  return (repos.find(({ id }) => id === last.repoId) ?? repos[0])?.id ?? "";
}
