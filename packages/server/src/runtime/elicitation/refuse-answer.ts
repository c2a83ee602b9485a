import type { FieldProblem } from "../../domain/elicitation/check-answer.ts";
import { refuse, type Refused } from "../reply.ts";

const SHOWN = 3;

/** The refusal of an answer that does not fit, with all its problems by field. */
export function refuseAnswer(errors: readonly FieldProblem[]): Refused {
  const shown = errors
    .slice(0, SHOWN)
    .map(({ field, message }) => (field === "" ? `it ${message}` : `${field} ${message}`));
  const more = errors.length > SHOWN ? [`and ${errors.length - SHOWN} more`] : [];
  const text = `The answer does not fit the question: ${[...shown, ...more].join("; ")}.`;
  const { refusal } = refuse("answer_invalid", text);
  return { ok: false, refusal: { ...refusal, errors } };
}
