import { X } from "lucide-react";
import {
  useEffect,
  useRef,
  useSyncExternalStore,
  type KeyboardEvent,
  type ReactElement,
} from "react";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ChangesBody, type ChangesProps } from "./changes-body.tsx";

interface PanelProps extends ChangesProps {
  readonly onClose: () => void;
}

/** The changes: beside the transcript where there is room, otherwise over the whole screen. */
export function ChangesPanel(props: PanelProps): ReactElement {
  const { onClose, ...body } = props;
  const hasRoom = useSyncExternalStore(subscribe, () => ROOM.matches);
  return hasRoom ? (
    <Beside {...props} />
  ) : (
    <Dialog open onClose={onClose} title="Changes" size="screen">
      <ChangesBody {...body} onLeave={onClose} />
    </Dialog>
  );
}

const ROOM = matchMedia("(min-width: 1100px)");

function subscribe(listener: () => void): () => void {
  ROOM.addEventListener("change", listener);
  return () => ROOM.removeEventListener("change", listener);
}

function Beside({ onClose, ...body }: PanelProps): ReactElement {
  const panel = useRef<HTMLElement>(null);
  useFocus(panel);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label="Changes"
      onKeyDown={onKeyDown}
      className="flex min-h-0 w-[clamp(24rem,38vw,46rem)] shrink-0 flex-col border-l border-line bg-surface outline-none"
    >
      <header className="flex items-center gap-2 py-2 pr-2 pl-4">
        <h2 className="flex-1 text-sm font-semibold">Changes</h2>
        <IconButton label="Close the changes" size="small" onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </IconButton>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-4">
        <ChangesBody {...body} />
      </div>
    </aside>
  );
}

/** Takes the focus when it opens, and gives it back when it closes. */
function useFocus(panel: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const before = document.activeElement;
    const element = panel.current;
    element?.focus();
    return () => {
      const isInside = element?.contains(document.activeElement) === true;
      const isLost = document.activeElement === document.body;
      if ((isInside || isLost) && before instanceof HTMLElement) before.focus();
    };
  }, [panel]);
}
