import type { FieldProblem } from "../../domain/elicitation/check-answer.ts";
import type { RuntimeContext } from "../context.ts";
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

/** Secrets are not stored, so only the node whose agent waits can take them; null if that can be this one. */
export async function refuseSecrets(
  { store, node, startsAgents }: RuntimeContext,
  sessionId: string,
): Promise<Refused | null> {
  if (!startsAgents)
    return refuse(
      "secret_undeliverable",
      "The answer contains a secret, which is not stored, and no server runs that could give it to the agent. Start the server first.",
    );
  const owner = await store.ownerOf(sessionId);
  if (owner === null || !owner.alive || owner.node === node) return null;
  return refuse(
    "secret_undeliverable",
    `The answer contains a secret, which is not stored, and the agent runs on another node. Send it to the node ${owner.node}.`,
  );
}
