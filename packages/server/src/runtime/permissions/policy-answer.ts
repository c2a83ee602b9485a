import type { Json } from "../../domain/json.ts";
import { policyIn } from "../../domain/policy/parse-policy.ts";
import { grantsIn } from "../../domain/policy/permission-grant.ts";
import {
  decidePermission,
  type PermissionPolicy,
  type PermissionSubject,
} from "../../domain/policy/permission-policy.ts";
import type { Session } from "../../domain/session.ts";
import type { PermissionRequest } from "../../providers/provider.ts";

/** Who an answer is by that no person gave. */
const BY_POLICY = "policy: ";

interface PolicyAnswer {
  readonly decision: "allow" | "deny";
  readonly answer: Json;
  readonly by: string;
}

/** What the policy answers in the place of a person; null when a person is to be asked. */
export function policyAnswer(
  session: Session,
  {
    subject,
    request,
    configured,
  }: {
    readonly subject: PermissionSubject;
    readonly request: PermissionRequest;
    readonly configured: PermissionPolicy | null;
  },
): PolicyAnswer | null {
  const { decision, by } = decidePermission({
    subject,
    phase: session.phase,
    configured,
    own: policyIn(session.metadata),
    grants: grantsIn(session.metadata),
  });
  if (decision === "ask") return null;
  const kinds = decision === "allow" ? ["allow_once", "allow_always"] : ["reject_once"];
  const [optionId] = kinds.flatMap(
    (kind) => request.options.find((option) => option.kind === kind)?.optionId ?? [],
  );
  if (optionId === undefined && decision === "allow") return null;
  const answer = optionId === undefined ? { outcome: "cancelled" } : { optionId };
  return { decision, answer, by: `${BY_POLICY}${by ?? "nothing"}` };
}

/** The policy decides each time anew: what it answered before binds nobody. */
export function isByPolicy(answeredBy: string | null): boolean {
  return answeredBy?.startsWith(BY_POLICY) === true;
}
