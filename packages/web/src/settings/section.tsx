import type { ReactElement, ReactNode } from "react";

export function Section({
  title,
  says,
  children,
}: {
  readonly title: string;
  readonly says?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const id = `section-${title.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {says !== undefined && <p className="text-muted">{says}</p>}
      <div className="mt-2">{children}</div>
    </section>
  );
}
