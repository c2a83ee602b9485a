import type { Provider, ProvidersReply, Session } from "@holdfast/protocol";

/** A provider and its model; null for the default. */
export type Agent = Session["next"];

/** The agent of the next message. */
export interface AgentChoice extends Agent {
  readonly provider: string;
  /** Null when the server no longer knows it. */
  readonly about: Provider | null;
  /** The consequence of the choice; null when nothing changes. */
  readonly note: string | null;
}

export function agentChoiceOf({
  session,
  chosen,
  last,
  providers,
}: {
  readonly session: Pick<Session, "next">;
  readonly chosen: Agent;
  /** The agent of the last run; null when unknown. */
  readonly last: Agent | null;
  readonly providers: ProvidersReply | null;
}): AgentChoice | null {
  // The server's own rule: its next choice, and a model only with its provider.
  const { next } = session;
  const usual = next.provider ?? providers?.defaultProvider ?? null;
  const provider = chosen.provider ?? usual;
  if (provider === null) return null;
  const own = provider === usual ? next.model : null;
  const before = provider === last?.provider ? last.model : null;
  const model = chosen.model ?? own ?? before;
  const aboutOf = (name: string) => providers?.providers.find((each) => each.name === name);
  const about = aboutOf(provider) ?? null;
  const note = (): string | null => {
    const from = last ?? { provider: usual, model: next.model };
    if (about !== null && !about.installed) return `${about.title} is not installed`;
    if (from.provider !== null && from.provider !== provider)
      return `Switches from ${aboutOf(from.provider)?.title ?? from.provider} to ${about?.title ?? provider}, which gets the earlier messages`;
    const isOtherModel = model !== null && from.model !== null && model !== from.model;
    return isOtherModel ? `Switches from ${from.model} to ${model}` : null;
  };
  return { provider, model, about, note: note() };
}
