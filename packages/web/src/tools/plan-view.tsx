import { CircleCheck, CircleDashed, CircleDot } from "lucide-react";
import { memo, type ReactElement } from "react";
import type { Message } from "@holdfast/protocol";
import { Markdown } from "../markdown/markdown.tsx";
import { NamedIcon } from "./named-icon.tsx";
import { toPlan, type PlanStep } from "./plan.ts";

/** A plan as a list of steps with their status. */
export const PlanView = memo(function PlanView({
  message: { id, content },
}: {
  readonly message: Message;
}): ReactElement {
  const { steps, text } = toPlan(content);
  const done = steps.filter(({ status }) => status === "completed").length;
  return (
    <div className="plan">
      <p className="plan-head">
        Plan
        {steps.length > 0 && (
          <span className="fold-aside">
            {done} of {steps.length} done
          </span>
        )}
      </p>
      {steps.length > 0 && (
        <ol>
          {steps.map((step, index) => (
            <li key={index} data-status={step.status}>
              <StepIcon step={step} />
              <span>{step.content}</span>
            </li>
          ))}
        </ol>
      )}
      {text !== null && <Markdown text={text} textKey={id} />}
    </div>
  );
});

function StepIcon({ step: { status } }: { readonly step: PlanStep }): ReactElement {
  switch (status) {
    case "completed":
      return <NamedIcon icon={CircleCheck} name="Done" size={16} />;
    case "in_progress":
      return <NamedIcon icon={CircleDot} name="In progress" size={16} />;
    case "pending":
      return <NamedIcon icon={CircleDashed} name="To do" size={16} />;
    default:
      return status satisfies never;
  }
}
