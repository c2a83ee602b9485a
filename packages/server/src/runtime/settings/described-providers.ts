import { optionIn, type AgentOffer } from "../../domain/settings/agent-offer.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Choice, ProviderDescription } from "../../providers/provider-description.ts";
import type { RuntimeContext } from "../context.ts";

/** The providers. If no agent of one has been started since the server started, what the last one offered is added. */
export async function describeAll(
  { offers }: Pick<RuntimeContext, "offers">,
  providers: readonly Provider[],
): Promise<readonly ProviderDescription[]> {
  const kept = await offers.all();
  return Promise.all(
    providers.map(async (provider) => {
      const description = await provider.describe();
      const offer = kept.get(provider.name);
      return offer === undefined ? description : withOffer(description, offer);
    }),
  );
}

function withOffer(described: ProviderDescription, offer: AgentOffer): ProviderDescription {
  const { models, modes, commands } = described;
  const known = new Set(models.map(({ id }) => id));
  return {
    ...described,
    models: [...models, ...choicesOf(offer, "model").filter(({ id }) => !known.has(id))],
    modes: modes.length > 0 ? modes : choicesOf(offer, "mode"),
    commands: commands.length > 0 ? commands : offer.commands,
    options: offer.options,
  };
}

function choicesOf(offer: AgentOffer, id: "mode" | "model"): readonly Choice[] {
  const choices = optionIn(offer, id)?.choices ?? [];
  return choices.map((choice) => ({ id: choice.id, name: choice.name }));
}
