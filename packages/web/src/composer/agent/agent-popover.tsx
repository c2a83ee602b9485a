import { Popover } from "radix-ui";
import { type ReactElement, useRef } from "react";
import { AgentSettings, type AgentSettingsProps } from "./agent-settings.tsx";

/** The settings of the next message, above their button. */
export function AgentPopover({
  onClose,
  ...settings
}: AgentSettingsProps & { readonly onClose: () => void }): ReactElement {
  const anchor = useRef<HTMLSpanElement>(null);
  const button = (): HTMLButtonElement | null =>
    anchor.current?.parentElement?.querySelector("button") ?? null;
  return (
    <Popover.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Popover.Anchor asChild>
        <span ref={anchor} aria-hidden="true" className="pointer-events-none absolute inset-0" />
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          aria-label="Agent of the next message"
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            button()?.focus();
          }}
          onInteractOutside={(event) => {
            const { target } = event;
            if (target instanceof Node && button()?.contains(target) === true)
              event.preventDefault();
          }}
          className="z-50 max-h-(--radix-popover-content-available-height) w-80 overflow-y-auto rounded-lg border border-line bg-surface p-3 text-sm text-fg shadow-xl outline-none"
        >
          <AgentSettings {...settings} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
