import { lazy, Suspense, type ReactElement } from "react";
import type { DialogProps } from "./dialog-panel.tsx";

const DialogPanel = lazy(async () => {
  const { DialogPanel: Panel } = await import("./dialog-panel.tsx");
  return { default: Panel };
});

/**
 * A modal dialog: it traps the focus, closes with Escape, and restores the focus. Its code is loaded when it is first
 * opened. The focus goes to the element with `data-autofocus`, or to the first focusable one.
 */
export function Dialog(props: DialogProps): ReactElement | null {
  if (!props.open) return null;
  return (
    <Suspense fallback={null}>
      <DialogPanel {...props} />
    </Suspense>
  );
}
