import { lazy, Suspense, type ReactElement, type ReactNode } from "react";

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly size?: "small" | "normal" | "wide";
  /** For dialogs whose first line is their name already, such as the palette. */
  readonly hideTitle?: boolean;
  /** Only to be read: it can be scrolled with keys. */
  readonly isText?: boolean;
  /** The buttons, the one that goes on last. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

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
