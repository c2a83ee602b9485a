import type { Provider, ProvidersReply, Session } from "@holdfast/protocol";

/** The agent of the next message. */
export interface AgentChoice {
  readonly provider: string;
  readonly model: string | null;
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
  readonly chosen: { readonly provider: string | null; readonly model: string | null };
  /** The agent of the last run; null when unknown. */
  readonly last: { readonly provider: string | null; readonly model: string | null } | null;
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
  const about = providers?.providers.find((each) => each.name === provider) ?? null;
  const note = noteOf({
    about,
    to: { provider, model },
    from: last ?? { provider: usual, model: next.model },
    titleOf: (name) => providers?.providers.find((each) => each.name === name)?.title ?? name,
  });
  return { provider, model, about, note };
}

function noteOf({
  about,
  to,
  from,
  titleOf,
}: {
  readonly about: Provider | null;
  readonly to: { readonly provider: string; readonly model: string | null };
  readonly from: { readonly provider: string | null; readonly model: string | null };
  readonly titleOf: (name: string) => string;
}): string | null {
  if (about !== null && !about.installed) return `${about.title} is not installed`;
  if (from.provider !== null && from.provider !== to.provider)
    return `Switches from ${titleOf(from.provider)} to ${titleOf(to.provider)}, which is told what was said`;
  if (to.model !== null && from.model !== null && to.model !== from.model)
    return `Switches from ${from.model} to ${to.model}`;
  return null;
}
