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

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** A list of names and values. */
export function Facts({ children }: { readonly children: readonly Fact[] }): ReactElement {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {children.map(({ name, value }) => (
        <div
          key={name}
          className="flex flex-col gap-x-4 gap-y-1 py-2 sm:flex-row sm:items-baseline"
        >
          <dt className="w-40 shrink-0 text-muted">{name}</dt>
          <dd className="min-w-0 flex-1 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
