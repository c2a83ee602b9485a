import type { AgentOffer } from "../../domain/settings/agent-offer.ts";

/** What the last agent of each provider offered. */
export interface OfferStore {
  /** Replaces the offer of the provider. Beyond the limit, the oldest offers are removed. */
  keepOffer(offer: KeepOffer): Promise<void>;
  listOffers(): Promise<readonly ProviderOffer[]>;
}

export interface ProviderOffer {
  readonly provider: string;
  readonly offer: AgentOffer;
  readonly at: number;
}

export interface KeepOffer extends ProviderOffer {
  /** Maximum number of providers. */
  readonly limit: number;
}
