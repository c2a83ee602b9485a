import { AtSign, Paperclip } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AgentSettings, type AgentSettingsProps } from "./agent-settings.tsx";

/** Everything besides the words of a message, for phones, whose composer has one line. */
export function MoreDialog({
  settings,
  onAttach,
  onMention,
  onClose,
}: {
  readonly settings: AgentSettingsProps | null;
  readonly onAttach: () => void;
  readonly onMention: () => void;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Options of the message"
      footer={
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="grid grid-cols-2 gap-2">
          <Button
            icon={<Paperclip size={15} aria-hidden="true" />}
            onClick={() => {
              onAttach();
              onClose();
            }}
          >
            Attach
          </Button>
          <Button
            icon={<AtSign size={15} aria-hidden="true" />}
            onClick={() => {
              onClose();
              // The dialog gives the focus back first.
              setTimeout(onMention);
            }}
          >
            Mention a file
          </Button>
        </div>
        {settings !== null && <AgentSettings {...settings} />}
      </div>
    </Dialog>
  );
}
