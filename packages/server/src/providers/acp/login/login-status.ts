import { cleanText } from "../../../domain/clean-text.ts";
import { UNKNOWN_LOGIN, type LoginStatus } from "../../login.ts";
import { looseLabel, looseList, looseObject, type Loose } from "../wire/loose.ts";

/** Notifications with the login status: Claude Code and Codex send the first one, the protocol's draft has the second. */
export const STATUS_METHODS: ReadonlySet<string> = new Set([
  "_auth/status_update",
  "auth/status_update",
]);

/** Only what the agent says: an unreadable status is unknown. */
export function parseLoginStatus(params: unknown): LoginStatus {
  const fields = looseObject(params);
  if (fields === null) return UNKNOWN_LOGIN;
  const status = looseObject(fields["authStatus"]);
  return status === null ? ofDraft(fields) : ofExtension(status);
}

/** `{kind, label, detail?, account?}`; the kind is `none` without a login. */
function ofExtension(status: Loose): LoginStatus {
  const kind = looseLabel(status["kind"]);
  if (kind === null) return UNKNOWN_LOGIN;
  if (kind === "none") return { state: "out", label: null };
  const email = looseLabel(looseObject(status["account"])?.["email"]);
  const label = looseLabel(status["label"]) ?? kind;
  return { state: "in", label: labelOf(label, email ?? looseLabel(status["detail"])) };
}

/** `{state, accounts?}`, as in the reply to `auth/status`. */
function ofDraft({ state, accounts }: Loose): LoginStatus {
  if (state === "unauthenticated") return { state: "out", label: null };
  if (state !== "authenticated") return UNKNOWN_LOGIN;
  const all = looseList(accounts).flatMap((account): readonly Loose[] => {
    const fields = looseObject(account);
    return fields === null ? [] : [fields];
  });
  const account = all.find(({ active }) => active === true) ?? all[0];
  const label = looseLabel(account?.["label"]);
  return { state: "in", label: label && labelOf(label, looseLabel(account?.["email"])) };
}

function labelOf(label: string, who: string | null): string {
  return cleanText(who === null ? label : `${label} (${who})`);
}
