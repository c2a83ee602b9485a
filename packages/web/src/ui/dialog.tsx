import { lazy, Suspense, type ReactElement } from "react";
import type { DialogProps } from "./dialog-panel.tsx";

const DialogPanel = lazy(async () => {
  const { DialogPanel: Panel } = await import("./dialog-panel.tsx");
  return { default: Panel };
});

/**
 * Keeps the focus inside, closes with Escape, and gives the focus back. Loaded when first opened. The
 * focus goes to what has `data-autofocus`, or else to the first thing that takes it.
 */
export function Dialog(props: DialogProps): ReactElement | null {
  if (!props.open) return null;
  return (
    <Suspense fallback={null}>
      <DialogPanel {...props} />
    </Suspense>
  );
}
