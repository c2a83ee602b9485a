import { createAcpProvider, type AcpProviderOptions } from "./acp/acp-provider.ts";
import type { AcpDefinition } from "./acp/definition.ts";
import type { ModelDefinition } from "./model/definition.ts";
import { createModelProvider } from "./model/model-provider.ts";
import type { Provider } from "./provider.ts";

/** Every provider a message can be given to, by name. */
export interface Catalog {
  /** Null when there is none of that name. */
  get(name: string): Provider | null;
  /** The demo first, then agents, then models, each as defined. */
  all(): readonly Provider[];
  /** Where messages go that name none. */
  readonly defaultName: string;
}

export interface CatalogOptions extends Omit<AcpProviderOptions, "definition"> {
  readonly definitions: readonly AcpDefinition[];
  /** Models asked over their APIs; none where left out. */
  readonly models?: readonly ModelDefinition[];
  readonly demo: AcpDefinition;
  /** Null for the demo. */
  readonly defaultName: string | null;
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { definitions, models = [], demo, defaultName, ...common } = options;
  const { environment } = common;
  const providers = new Map(
    [
      ...[demo, ...definitions].map((definition) => createAcpProvider({ ...common, definition })),
      ...models.map((definition) => createModelProvider({ definition, environment })),
    ].map((provider): [string, Provider] => [provider.name, provider]),
  );
  return {
    get: (name) => providers.get(name) ?? null,
    all: () => [...providers.values()],
    defaultName: defaultName ?? demo.name,
  };
}
