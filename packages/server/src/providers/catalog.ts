import { createAcpProvider, type AcpProviderOptions } from "./acp/acp-provider.ts";
import type { AcpDefinition } from "./acp/definition.ts";
import type { Provider } from "./provider.ts";

/** Every provider a message can be given to, by name. */
export interface Catalog {
  /** Null when there is none of that name. */
  get(name: string): Provider | null;
  /** The demo first, then as defined. */
  all(): readonly Provider[];
  /** Where messages go that name none. */
  readonly defaultName: string;
}

export interface CatalogOptions extends Omit<AcpProviderOptions, "definition"> {
  readonly definitions: readonly AcpDefinition[];
  readonly demo: AcpDefinition;
  /** Null for the demo. */
  readonly defaultName: string | null;
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { definitions, demo, defaultName, ...common } = options;
  const providers = new Map(
    [demo, ...definitions].map((definition): [string, Provider] => [
      definition.name,
      createAcpProvider({ ...common, definition }),
    ]),
  );
  return {
    get: (name) => providers.get(name) ?? null,
    all: () => [...providers.values()],
    defaultName: defaultName ?? demo.name,
  };
}
