import { useMutation } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { showFailure } from "../ui/toast.ts";

export function Section({
  title,
  description,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const id = `section-${title.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {description !== undefined && <p className="text-muted">{description}</p>}
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

/** A row with one action. */
export function ActionRow({
  name,
  action,
  label,
  failure,
  onPress,
  children,
}: {
  readonly name: string;
  readonly action: string;
  /** The accessible name of the button. */
  readonly label: string;
  /** Shown with the reason when the action fails. */
  readonly failure: string;
  readonly onPress: () => Promise<void>;
  readonly children: ReactNode;
}): ReactElement {
  const { mutate, isPending } = useMutation({
    mutationFn: onPress,
    onError: (error) => showFailure(failure, error),
  });
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="font-medium wrap-anywhere">{name}</span>
        {children}
      </span>
      <Button
        size="small"
        tone="quiet"
        busy={isPending}
        aria-label={label}
        onClick={() => mutate()}
      >
        {action}
      </Button>
    </li>
  );
}
