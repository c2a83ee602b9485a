import type { Provider, ProvidersReply, Session } from "@holdfast/protocol";

/** Who a message goes to, and what is to be known about that. */
export interface AgentChoice {
  readonly provider: string;
  readonly model: string | null;
  /** Null where the server does not know it any more. */
  readonly about: Provider | null;
  /** What the choice changes; null when it goes on as before. */
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
  /** Who worked last; null when nobody has, or it is not known. */
  readonly last: { readonly provider: string | null; readonly model: string | null } | null;
  readonly providers: ProvidersReply | null;
}): AgentChoice | null {
  // The server's own rule: what it would choose, and a model only with the provider it belongs to.
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
