/** A provider and one of its models; null leaves the model to the provider. */
export interface AgentChoice {
  readonly provider: string;
  readonly model: string | null;
}

/** A choice with one or both parts left open. */
export interface AgentWish {
  readonly provider: string | null;
  readonly model: string | null;
}

/** The provider and model that a session prefers, and those of its last run. */
export interface AgentHistory extends AgentWish {
  readonly lastRun: AgentChoice | null;
}

/**
 * Chooses the provider of a run: the choice of the message, else the preference of the session, else the provider
 * of the last run, else the server's default. The model has the same order, without a default. A model belongs to
 * a provider: the preferred model applies only to the provider that the session uses without a choice, and the
 * model of the last run only to the provider of that run.
 */
export function chooseAgent(
  wish: AgentWish,
  { session, defaultProvider }: { session: AgentHistory; defaultProvider: string },
): AgentChoice {
  const { provider, model } = choose(wish, session, defaultProvider);
  return { provider: provider ?? defaultProvider, model };
}

/** The agent of a message without a choice of its own; a null provider means the server's default. */
export function nextAgent(session: AgentHistory): AgentWish {
  return choose({ provider: null, model: null }, session, null);
}

function choose(wish: AgentWish, session: AgentHistory, defaultProvider: string | null): AgentWish {
  const { lastRun } = session;
  const usual = session.provider ?? lastRun?.provider ?? defaultProvider;
  const provider = wish.provider ?? usual;
  const preferred = provider === usual ? session.model : null;
  const before = provider === lastRun?.provider ? (lastRun?.model ?? null) : null;
  return { provider, model: wish.model ?? preferred ?? before };
}
