import { useLayoutEffect, useState, type RefObject } from "react";
import { useDiffForm, type DiffForm } from "./diff-choice.ts";

/** Two columns of code need this much room. */
const SPLIT_WIDTH = 620;

export interface FittingForm {
  readonly shown: DiffForm;
  readonly canSplit: boolean;
}

/** The chosen form of diffs, if there is room for it. */
export function useFittingForm(element: RefObject<HTMLElement | null>): FittingForm {
  const chosen = useDiffForm();
  const [canSplit, setCanSplit] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setCanSplit(current.clientWidth >= SPLIT_WIDTH);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return { shown: canSplit ? chosen : "unified", canSplit };
}
