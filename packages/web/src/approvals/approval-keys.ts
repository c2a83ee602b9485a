import type { Approval } from "./approval.ts";
import { rejectionIn } from "./approval.ts";

export interface PressedKey {
  readonly key: string;
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
}

/**
 * The answer of a key, or null: a digit chooses the option with that number, Escape the first rejection. Repeated keys
 * are ignored.
 */
export function answerOfKey(
  approval: Approval,
  press: PressedKey,
  { inCard }: { readonly inCard: boolean },
): string | null {
  if (press.metaKey || press.ctrlKey || press.altKey || press.repeat) return null;
  if (press.key === "Escape") return inCard ? (rejectionIn(approval)?.optionId ?? null) : null;
  if (!/^[1-9]$/u.test(press.key)) return null;
  const index = Number(press.key) - 1;
  switch (approval.ask) {
    case "choice":
      return approval.options[index]?.optionId ?? null;
    case "text":
      return approval.suggestions[index] ?? null;
    case "json":
    case "nothing":
      return null;
    default:
      return approval satisfies never;
  }
}
