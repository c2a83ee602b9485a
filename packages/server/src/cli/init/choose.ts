import { statSync } from "node:fs";
import path from "node:path";
import type { ProviderDescription } from "../../providers/provider-description.ts";
import { DEMO_NAME } from "../../providers/demo/demo-definition.ts";
import { isInside } from "../../providers/sandbox/path-inside.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { WrongUsage } from "../failure/wrong-usage.ts";
import { commandLine } from "../terminal/invocation.ts";
import { commonFolder } from "../settings/widen-root.ts";
import { repositoryAround } from "../settings/workspace-root.ts";

/** Asks a person to choose one of the options; null if they leave the question. */
export type Ask = (
  question: string,
  options: readonly { readonly value: string; readonly label: string; readonly hint?: string }[],
) => Promise<string | null>;

export interface ProviderWish {
  /** `--provider`. */
  readonly named: string | undefined;
  /** `defaultProvider` of the config file. */
  readonly configured: string | null;
  /** Null where nobody can be asked. */
  readonly ask: Ask | null;
}

/** The new default provider; null if the person leaves the question. */
export async function chooseProvider(
  providers: readonly ProviderDescription[],
  { named, configured, ask }: ProviderWish,
): Promise<ProviderDescription | null> {
  const installed = providers.filter((provider) => provider.installed);
  if (named !== undefined) return installedOne(providers, named);
  const suggested =
    installed.find(({ name }) => name === configured) ??
    installed.find(({ name }) => name !== DEMO_NAME) ??
    installed[0];
  if (ask === null || installed.length < 2) return suggested ?? null;
  const others = installed.filter((provider) => provider !== suggested);
  const answer = await ask(
    "Which agent should answer by default?",
    [...(suggested === undefined ? [] : [suggested]), ...others].map(
      ({ name, title, version }) => ({
        value: name,
        label: version === null ? title : `${title} ${version}`,
        hint: name,
      }),
    ),
  );
  return installed.find(({ name }) => name === answer) ?? null;
}

function installedOne(
  providers: readonly ProviderDescription[],
  named: string,
): ProviderDescription {
  const provider = providers.find(({ name }) => name === named);
  if (provider === undefined) {
    const names = providers.map(({ name }) => name).join(", ");
    throw new CommandFailure(`There is no agent "${named}". Choose one of ${names}.`, EXIT.no);
  }
  const { title, install, installed } = provider;
  if (installed) return provider;
  const how = install === null ? "" : ` Install it with: ${install}`;
  throw new CommandFailure(`${title} is not installed.${how}`, EXIT.no);
}

export interface RootWish {
  /** `--workspace-root`. */
  readonly named: string | undefined;
  /** The root of the environment or the config file. */
  readonly configured: string | null;
  /** The folder in which the command was called. */
  readonly folder: string;
  readonly ask: Ask | null;
}

/** The new workspace root, which contains the repository of the caller; null if the person leaves the question. */
export async function chooseRoot({
  named,
  configured,
  folder,
  ask,
}: RootWish): Promise<string | null> {
  if (named !== undefined) {
    const root = path.resolve(folder, named);
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === true) return root;
    throw new WrongUsage(`${root} is not a folder.`);
  }
  const here = repositoryAround(folder) ?? path.resolve(folder);
  if (configured !== null && isInside(here, configured)) return configured;
  if (configured !== null) {
    const both = commonFolder(configured, here);
    if (both !== null) return both;
    throw new CommandFailure(
      `${here} is outside the workspace root ${configured}. Pass a folder that contains all your repositories, for example: ${commandLine("init --workspace-root FOLDER")}`,
      EXIT.usage,
    );
  }
  const parent = path.dirname(here);
  if (ask === null || parent === path.dirname(parent)) return here;
  return ask("In which folder may agents work? Repositories outside of it are refused.", [
    { value: here, label: here, hint: "only this one" },
    { value: parent, label: parent, hint: "everything beside it too" },
  ]);
}
