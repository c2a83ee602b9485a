/** What GAIA's own hook says before it delegates; callers compare with these words. */
export type GaiaReason =
  | "session_resumable"
  | "session_not_resumable"
  | "no_existing_session"
  | "invalid_json"
  | "error";

/** Without an agent id GAIA knows of no session. */
export function reasonOfDecision({
  shouldResume,
  agentId,
}: {
  readonly shouldResume: boolean;
  readonly agentId: string | null;
}): GaiaReason {
  if (shouldResume) return "session_resumable";
  return agentId === null ? "no_existing_session" : "session_not_resumable";
}

export function reasonOfFailure(detail: string): GaiaReason {
  return detail === "input_empty" || detail === "input_not_json" ? "invalid_json" : "error";
}
