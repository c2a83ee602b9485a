import type { Json } from "../../domain/json.ts";
import { policyIn } from "../../domain/policy/parse-policy.ts";
import { grantsIn } from "../../domain/policy/permission-grant.ts";
import { decidePermission, type PermissionPolicy } from "../../domain/policy/permission-policy.ts";
import type { PermissionSubject } from "../../domain/policy/permission-subject.ts";
import type { Session } from "../../domain/session.ts";
import type { PermissionRequest } from "../../providers/provider.ts";

/** Marks an answer that the policy gave. */
const BY_POLICY = "policy: ";

interface PolicyAnswer {
  readonly decision: "allow" | "deny";
  readonly answer: Json;
  readonly by: string;
}

/** The answer of the policy; null when a person must be asked. */
export function policyAnswer(
  { phase, metadata }: Session,
  subject: PermissionSubject,
  request: PermissionRequest,
  configured: PermissionPolicy | null,
): PolicyAnswer | null {
  const { decision, by } = decidePermission({
    subject,
    phase,
    configured,
    own: policyIn(metadata),
    grants: grantsIn(metadata),
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

/** An answer of the policy is never reused: it decides each time. */
export function isByPolicy(answeredBy: string | null): boolean {
  return answeredBy?.startsWith(BY_POLICY) === true;
}
