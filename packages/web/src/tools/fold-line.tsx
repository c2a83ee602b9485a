import { ChevronRight } from "lucide-react";
import { useId, type ReactElement, type ReactNode } from "react";

/** A line that unfolds its details. */
export function FoldLine({
  open,
  onToggle,
  icon,
  aside,
  children,
  details,
}: {
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly icon: ReactNode;
  /** At the end of the line. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Null when there is nothing to open. */
  readonly details: ReactNode;
}): ReactElement {
  const id = useId();
  const line = (
    <>
      {icon}
      <span className="fold-title">{children}</span>
      {aside}
    </>
  );
  if (details === null) return <div className="fold-line">{line}</div>;
  return (
    <>
      <button
        type="button"
        className="fold-line"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={onToggle}
      >
        {line}
        <ChevronRight aria-hidden size={14} className="fold-sign" />
      </button>
      {open && (
        <div id={id} className="fold-details">
          {details}
        </div>
      )}
    </>
  );
}
