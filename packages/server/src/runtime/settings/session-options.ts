import { nextAgent } from "../../domain/choose-agent.ts";
import {
  canHave,
  choicesText,
  optionIn,
  type AgentOffer,
  type OfferedOption,
} from "../../domain/settings/agent-offer.ts";
import {
  settingsOf,
  valueIn,
  type OptionValue,
  type SettingsChange,
} from "../../domain/settings/agent-settings.ts";
import type { AgentHistory } from "../../domain/choose-agent.ts";
import type { Session } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";
import { refuse, type Refused } from "../reply.ts";
import { withSession } from "../session-snapshot.ts";
import type { Reply } from "../reply.ts";
import type { SessionOptions, WantedChange } from "./option-types.ts";

/** The session, or the one to be created, that settings are for. */
interface SettingsOwner extends AgentHistory, Pick<Session, "settings"> {
  /** Null if it does not exist yet. */
  readonly id: string | null;
}

export function readOptions(
  context: RuntimeContext,
  sessionId: string,
): Promise<Reply<SessionOptions>> {
  return withSession(context.store, sessionId, async (session) => {
    const { provider: next, model } = nextAgent(session);
    const provider = next ?? context.defaultProvider();
    const { offer } = await offerFor(context, session, provider);
    const kept = settingsOf(session.settings, provider);
    const valueOf = ({ id, value }: OfferedOption): OptionValue | null => {
      if (id === "mode") return kept.mode ?? context.provider(provider)?.mode ?? value;
      if (id === "model") return model ?? value;
      return valueIn(kept.options, id) ?? value;
    };
    const options = offer.options.map((option) => ({ ...option, value: valueOf(option) }));
    return { provider, options };
  });
}

/** Refuses values that the agent does not offer, as far as that is known; null if there are none. */
export async function refuseSettings(
  context: RuntimeContext,
  owner: SettingsOwner,
  wanted: WantedChange & { readonly provider: string; readonly model: string | null },
): Promise<Refused | null> {
  const { provider, mode, options = {} } = wanted;
  const reserved = ["mode", "model"].find((id) => Object.hasOwn(options, id));
  if (reserved !== undefined)
    return refuse("setting_not_offered", `Set the ${reserved} as ${reserved}, not as an option.`);
  if (mode === undefined && Object.keys(options).length === 0) return null;
  const { offer, model } = await offerFor(context, owner, provider);
  if (offer.options.length === 0) return null;
  const refused = mode == null ? null : refuseValue(provider, offer, "mode", mode);
  if (refused !== null) return refused;
  // Options depend on the model, and only those of this one are known.
  if (wanted.model !== null && wanted.model !== model) return null;
  for (const [id, value] of Object.entries(options)) {
    const refusal = refuseValue(provider, offer, id, value);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Null as a value stands for the agent's default, which only has to exist. */
function refuseValue(
  provider: string,
  offer: AgentOffer,
  id: string,
  value: OptionValue | null,
): Refused | null {
  const option = optionIn(offer, id);
  if (option === null) {
    if (value === null) return null;
    const ids = offer.options.map((each) => each.id).filter((each) => each !== "model");
    const known = ids.length === 0 ? "It offers no options." : `It offers ${ids.join(", ")}.`;
    const name = id === "mode" ? "modes" : `option ${id}`;
    return refuse("setting_not_offered", `${provider} has no ${name}. ${known}`);
  }
  if (value === null || canHave(option, value)) return null;
  const what =
    id === "mode" ? `the mode ${String(value)}` : `${String(value)} for the option ${id}`;
  const offered = choicesText(option);
  return refuse("setting_not_offered", `${provider} does not offer ${what}. It offers ${offered}.`);
}

/** The change with the agent's defaults in place of null, where they are known. */
export async function withDefaults(
  { offers }: Pick<RuntimeContext, "offers">,
  provider: string,
  { mode, options }: WantedChange,
): Promise<SettingsChange> {
  const isReset = Object.values(options ?? {}).includes(null);
  const offer = isReset ? await offers.of(provider) : null;
  const entries = Object.entries(options ?? {}).map(([id, value]) => [
    id,
    value ?? (offer === null ? null : (optionIn(offer, id)?.value ?? null)),
  ]);
  return {
    provider,
    ...(mode !== undefined && { mode }),
    ...(entries.length > 0 && { options: Object.fromEntries(entries) }),
  };
}

/** What the live agent of the session offers, else what the last agent of the provider offered, and for which model. */
async function offerFor(
  context: RuntimeContext,
  { id }: { readonly id: string | null },
  provider: string,
): Promise<{ readonly offer: AgentOffer; readonly model: OptionValue | null }> {
  const live = id === null ? null : context.liveOffer(id, provider);
  const offer = live ?? (await context.offers.of(provider));
  return { offer, model: optionIn(offer, "model")?.value ?? null };
}
