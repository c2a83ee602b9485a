import { Download } from "lucide-react";
import { type ReactElement, useState } from "react";
import { client } from "../../api/client.ts";
import { saveFile } from "../../api/save-file.ts";
import { Button } from "../../ui/button.tsx";
import { showFailure, showToast } from "../../ui/toast.ts";

/** Saves the whole output of a call, which the agent left in a file. */
export function FullOutput({
  sessionId,
  messageId,
}: {
  readonly sessionId: string;
  readonly messageId: string;
}): ReactElement {
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const { text, source } = await client.sessions.output(sessionId, messageId);
      saveFile([text], { name: "output.txt", type: "text/plain" });
      if (source === "stored")
        await showToast({ text: "The whole output is gone; saved what is stored" });
    } catch (error) {
      showFailure("The output was not saved", error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <p>
      <Button
        size="small"
        busy={busy}
        icon={<Download aria-hidden size={14} />}
        onClick={() => void save()}
      >
        Full output
      </Button>
    </p>
  );
}
