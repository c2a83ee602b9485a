import { errorText } from "@holdfast/client";
import type { Session } from "@holdfast/protocol";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { ConnectionInputs } from "../list/connection-fields.tsx";
import { linesOf, parseServers } from "../list/new-session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/field.tsx";
import { showToast } from "../ui/toast.ts";
import { serversText } from "./servers-text.ts";

/** Changes the MCP servers and further directories of a session. */
export function ConnectionsDialog({
  session,
  onClose,
}: {
  readonly session: Session;
  readonly onClose: () => void;
}): ReactElement {
  const [draft, setDraft] = useState(() => ({
    mcpServers: serversText(session.mcpServers),
    directories: session.directories.join("\n"),
  }));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () =>
      client.sessions.update(session.id, {
        mcpServers: parseServers(draft.mcpServers) ?? {},
        directories: linesOf(draft.directories),
      }),
    onSuccess: () => {
      void showToast({ text: "Saved. The next run uses it." });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="MCP servers and directories"
      description="Agents get them from the next run on."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" busy={isPending} onClick={() => mutate()}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ConnectionInputs
          {...draft}
          rows={10}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
        />
        <Problem text={error === null ? null : errorText(error)} />
      </div>
    </Dialog>
  );
}
