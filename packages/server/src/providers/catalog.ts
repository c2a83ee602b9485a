import { createAcpProvider, type AcpProviderOptions } from "./acp/acp-provider.ts";
import type { AcpDefinition } from "./acp/definition.ts";
import type { ModelDefinition } from "./model/definition.ts";
import { createModelProvider } from "./model/model-provider.ts";
import type { Provider } from "./provider.ts";
import { openSecrets } from "./secrets/secrets.ts";

/** All providers, by name. */
export interface Catalog {
  /** Null if there is no provider with this name. */
  get(name: string): Provider | null;
  /** The demo, then agents, then models. */
  all(): readonly Provider[];
  /** The provider of messages that name none. */
  readonly defaultName: string;
  /** Runs that start from now on use it, also those of queued messages that chose no provider. */
  makeDefault(name: string): void;
}

export interface CatalogOptions extends Omit<AcpProviderOptions, "definition"> {
  readonly definitions: readonly AcpDefinition[];
  readonly models?: readonly ModelDefinition[];
  readonly demo: AcpDefinition;
  /** Null: the demo. */
  readonly defaultName: string | null;
}

export function createCatalog(options: CatalogOptions): Catalog {
  const { definitions, models = [], demo, defaultName, secrets = openSecrets() } = options;
  const { environment } = options;
  const providers = new Map(
    [
      ...[demo, ...definitions].map((definition) =>
        createAcpProvider({ ...options, secrets, definition }),
      ),
      ...models.map((definition) => createModelProvider({ definition, environment, secrets })),
    ].map((provider): [string, Provider] => [provider.name, provider]),
  );
  let current = defaultName ?? demo.name;
  return {
    get: (name) => providers.get(name) ?? null,
    all: () => [...providers.values()],
    get defaultName() {
      return current;
    },
    makeDefault: (name) => {
      current = name;
    },
  };
}
