import { createRoot } from "react-dom/client";
import { toast as sonner, Toaster } from "sonner";
import "sonner/dist/styles.css";

export interface Toast {
  readonly text: string;
  readonly tone?: "plain" | "danger";
  readonly action?: { readonly label: string; readonly onPress: () => void };
  readonly durationMs?: number;
}

const DURATION_MS = 4_000;

const theme = (): "dark" | "light" =>
  document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";

const host = document.createElement("div");
document.body.append(host);
createRoot(host).render(
  <Toaster
    theme={theme()}
    position="bottom-center"
    offset={24}
    mobileOffset={{ bottom: "calc(4.5rem + env(safe-area-inset-bottom))" }}
    toastOptions={{
      classNames: {
        toast: "!bg-fg !text-bg !border-transparent",
        actionButton: "!bg-bg !text-fg !h-8 !px-3",
      },
    }}
  />,
);

export function present({ text, tone = "plain", action, durationMs = DURATION_MS }: Toast): void {
  const show = tone === "danger" ? sonner.error : sonner;
  show(text, {
    duration: durationMs,
    ...(action !== undefined && { action: { label: action.label, onClick: action.onPress } }),
  });
}
