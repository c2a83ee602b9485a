import { lazy, Suspense, type ReactElement } from "react";
import { closeOverlay, useOverlay } from "./overlay.ts";

const Palette = lazy(() => import("./palette.tsx").then((m) => ({ default: m.Palette })));
const ShortcutsDialog = lazy(() =>
  import("./shortcuts-dialog.tsx").then((m) => ({ default: m.ShortcutsDialog })),
);
const NewSessionDialog = lazy(() =>
  import("../list/new-session-dialog.tsx").then((m) => ({ default: m.NewSessionDialog })),
);

export function Overlays(): ReactElement {
  const overlay = useOverlay();
  return (
    <Suspense fallback={null}>
      {overlay === "palette" && <Palette onClose={closeOverlay} />}
      {overlay === "shortcuts" && <ShortcutsDialog onClose={closeOverlay} />}
      {overlay === "new-session" && <NewSessionDialog onClose={closeOverlay} />}
    </Suspense>
  );
}
