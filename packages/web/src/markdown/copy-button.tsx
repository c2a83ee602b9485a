import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ReactElement, type ReactNode } from "react";
import "./markdown.css";

const SHOWN_MS = 1_500;

/** Copies a text and confirms it for a moment. */
export function CopyButton({
  label,
  text,
  icon,
}: {
  readonly label: string;
  /** Computed on demand. */
  readonly text: () => string;
  readonly icon?: ReactNode;
}): ReactElement {
  const [outcome, setOutcome] = useState<"copied" | "failed" | null>(null);
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setOutcome("copied");
    } catch {
      setOutcome("failed");
    }
  };
  const name = outcome === null ? label : outcome === "copied" ? "Copied" : "Could not copy";
  return (
    <button
      type="button"
      className="icon-action"
      aria-label={name}
      title={name}
      onClick={() => void copy()}
    >
      {outcome === "copied" ? (
        <Check aria-hidden size={14} />
      ) : (
        (icon ?? <Copy aria-hidden size={14} />)
      )}
    </button>
  );
}
