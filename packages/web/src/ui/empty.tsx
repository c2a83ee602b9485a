import { errorText } from "@holdfast/client";
import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import { Spinner } from "./spinner.tsx";

/** An empty state, with an optional action. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactElement {
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-2 px-6 py-16 text-center">
      {icon !== undefined && (
        <span aria-hidden="true" className="text-muted">
          {icon}
        </span>
      )}
      <h2 className="text-base font-semibold">{title}</h2>
      {children !== undefined && <div className="text-muted">{children}</div>}
      {action !== undefined && <div className="mt-3">{action}</div>}
    </div>
  );
}

/** Replaces content that is being loaded or could not be loaded. */
export function NotLoaded({
  name,
  error,
  onRetry,
}: {
  readonly name: string;
  readonly error: Error | null;
  readonly onRetry: () => void;
}): ReactElement {
  if (error === null)
    return (
      <p className="flex items-center gap-2 text-muted">
        <Spinner /> Loading the {name}…
      </p>
    );
  const retry = <Button onClick={onRetry}>Try again</Button>;
  return (
    <Empty title={`The ${name} could not be loaded`} action={retry}>
      {errorText(error)}
    </Empty>
  );
}
