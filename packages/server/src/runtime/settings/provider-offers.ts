import { sameJson } from "../../domain/json.ts";
import { NO_OFFER, offerToKeep, type AgentOffer } from "../../domain/settings/agent-offer.ts";
import type { Agent } from "../../providers/provider.ts";
import type { Store } from "../../storage/store.ts";
import type { Log } from "../log.ts";

/** What the last agent of each provider offered, also after a restart of the server. */
export interface ProviderOffers {
  all(): Promise<ReadonlyMap<string, AgentOffer>>;
  /** Empty if no agent of the provider has been seen. */
  of(provider: string): Promise<AgentOffer>;
  /** Stores what the agent offers, soon. `isNew`: the agent was just started. */
  keep(agent: Agent, options: { readonly isNew: boolean }): void;
  /** Resolves when everything is stored. */
  settle(): Promise<void>;
}

const MAX_PROVIDERS = 100;

export function createProviderOffers({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, "keepOffer" | "listOffers">;
  readonly clock: () => number;
  readonly log: Log;
}): ProviderOffers {
  let storing: Promise<void> = Promise.resolve();
  /** The last offer of each provider that was stored by this process. */
  const known = new Map<string, AgentOffer>();

  const all = async (): Promise<ReadonlyMap<string, AgentOffer>> =>
    new Map((await store.listOffers()).map(({ provider, offer }) => [provider, offer]));
  const of = async (provider: string): Promise<AgentOffer> =>
    (await all()).get(provider) ?? NO_OFFER;

  const storeOffer = async (provider: string, offer: AgentOffer, isNew: boolean): Promise<void> => {
    const before = known.get(provider) ?? (await of(provider));
    const kept = offerToKeep(offer, { before, isNew });
    known.set(provider, kept);
    if (sameJson(before, kept)) return;
    await store.keepOffer({ provider, offer: kept, at: clock(), limit: MAX_PROVIDERS });
  };

  return {
    all,
    of,
    keep: ({ provider, offer, offered }, { isNew }) => {
      if (offer === undefined) return;
      const fresh = isNew && offered != null ? { ...offer, options: offered.options } : null;
      storing = storing
        .then(() => storeOffer(provider, fresh ?? offer, fresh !== null))
        .catch((err: unknown) => {
          known.delete(provider);
          log.warn({ provider, err }, "what an agent offers could not be stored");
        });
    },
    settle: () => storing,
  };
}
