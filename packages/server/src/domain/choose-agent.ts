/** A provider and one of its models; null leaves the model to the provider. */
export interface AgentChoice {
  readonly provider: string;
  readonly model: string | null;
}

/** The same with either part left open. */
export interface AgentWish {
  readonly provider: string | null;
  readonly model: string | null;
}

/** What a session says about its agents: what it prefers, and what its last run used. */
export interface AgentHistory extends AgentWish {
  readonly lastRun: AgentChoice | null;
}

/**
 * Which provider and model a run uses. The provider: the message's own choice, else the session's
 * preference, else that of the session's last run, else the server's default.
 *
 * The model: the message's own choice, else the session's preference, else that of the last run. A model
 * belongs to a provider, so the last two count only for theirs: the preferred model goes with the provider
 * that the session uses by itself, the model of the last run with the provider of that run.
 */
export function chooseAgent(
  wish: AgentWish,
  {
    session,
    defaultProvider,
  }: { readonly session: AgentHistory; readonly defaultProvider: string },
): AgentChoice {
  const { provider, model } = choose(wish, { session, defaultProvider });
  return { provider: provider ?? defaultProvider, model };
}

/** What a message without a choice of its own would use; null as the provider is the server's default. */
export function nextAgent(session: AgentHistory): AgentWish {
  return choose({ provider: null, model: null }, { session, defaultProvider: null });
}

function choose(
  wish: AgentWish,
  {
    session,
    defaultProvider,
  }: { readonly session: AgentHistory; readonly defaultProvider: string | null },
): AgentWish {
  const { lastRun } = session;
  const usual = session.provider ?? lastRun?.provider ?? defaultProvider;
  const provider = wish.provider ?? usual;
  const preferred = provider === usual ? session.model : null;
  const before = provider === lastRun?.provider ? (lastRun?.model ?? null) : null;
  return { provider, model: wish.model ?? preferred ?? before };
}
