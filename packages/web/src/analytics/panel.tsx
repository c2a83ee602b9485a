import { useId, type ReactElement, type ReactNode } from "react";

/** A titled panel. */
export function Panel({
  title,
  aside,
  description,
  children,
}: {
  readonly title: string;
  /** At the end of the heading. */
  readonly aside?: string;
  readonly description?: string;
  readonly children?: ReactNode;
}): ReactElement {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {aside !== undefined && <span className="text-xs text-muted">{aside}</span>}
      </div>
      {description !== undefined && <p className="text-xs text-muted">{description}</p>}
      {children}
    </section>
  );
}
