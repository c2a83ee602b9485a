import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";

/** An icon with a name for screen readers. */
export function NamedIcon({
  icon: Icon,
  name,
  size = 14,
}: {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly size?: number;
}): ReactElement {
  return (
    <span className="state-icon">
      <Icon aria-hidden size={size} />
      <span className="sr-only">{name}: </span>
    </span>
  );
}
