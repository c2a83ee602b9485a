import { createElement, lazy, Suspense, type FunctionComponent, type ReactNode } from "react";

/** A component whose code is loaded when it is first rendered. The fallback is shown until then. */
export function loaded<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  fallback: ReactNode = null,
): FunctionComponent<Props> {
  const Part = lazy(async () => ({ default: await load() }));
  return (props) => <Suspense fallback={fallback}>{createElement(Part, props)}</Suspense>;
}
