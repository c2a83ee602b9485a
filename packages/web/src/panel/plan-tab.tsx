import type { Message } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { HighlightProvider } from "../markdown/use-highlight.tsx";
import { PlanView } from "../tools/plan-view.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { Nothing } from "./nothing.tsx";

/** The latest plan of the agent. */
export function PlanTab({ plan }: { readonly plan: Message | null }): ReactElement {
  if (plan === null) return <Nothing>The agent has not written a plan.</Nothing>;
  return (
    <HighlightProvider>
      <PlanView message={plan} />
      <p className="mt-3 text-xs text-muted">
        First written <RelativeTime time={plan.timestamp} />
      </p>
    </HighlightProvider>
  );
}
