import type { ReactElement } from "react";
import type { DialogProps } from "./dialog-panel.tsx";
import { loaded } from "./loaded.tsx";

const DialogPanel = loaded(() => import("./dialog-panel.tsx").then((m) => m.DialogPanel));

/**
 * A modal dialog: it traps the focus, closes with Escape, and restores the focus. Its code is loaded when it is first
 * opened. The focus goes to the element with `data-autofocus`, or to the first focusable one.
 */
export function Dialog(props: DialogProps): ReactElement | null {
  return props.open ? <DialogPanel {...props} /> : null;
}
