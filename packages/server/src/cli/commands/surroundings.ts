import { defined } from "../../domain/defined.ts";
import type { Provider, ProvidersReply } from "@holdfast/protocol";
import { toWireProvider } from "../../http/wire/to-wire.ts";
import path from "node:path";
import { gatewaySettings, findServer, type CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import { serverGateway } from "../gateway/session-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";
import { commandLine } from "../terminal/invocation.ts";

export async function listRepos(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { repos } = await withGateway(flags, "read", (gateway) => gateway.repos.list());
  if (flags.json === true) return printer.json({ repos });
  if (repos.length === 0 && printer.isForPeople)
    return printer.note(`No repositories. Add one with: ${commandLine("repos add PATH")}`);
  return printer.table(
    repos.map(({ id, name, path: folder, createdAt }) => [
      id,
      name,
      folder,
      printer.ago(createdAt),
    ]),
    ["ID", { title: "NAME", flexible: true }, { title: "PATH", flexible: true }, "ADDED"],
  );
}

export async function addRepo(
  folder: string,
  flags: CommonFlags & { readonly name?: string; readonly label?: string },
): Promise<void> {
  const { name, label } = flags;
  const request = defined({ path: path.resolve(folder), name, label });
  const repo = await withGateway(flags, "create", (gateway) => gateway.repos.add(request));
  openPrinter(flags).result(repo, repo.id);
}

export async function removeRepo(id: string, flags: CommonFlags): Promise<void> {
  const repo = await withGateway(flags, "change", (gateway) => gateway.repos.remove(id));
  openPrinter(flags).result(
    repo,
    `${repo.name} is removed from the list. The files in ${repo.path} are unchanged.`,
  );
}

/** Works without a database. */
async function readProviders(flags: CommonFlags): Promise<ProvidersReply> {
  const settings = gatewaySettings(flags);
  const server = await findServer(flags, settings);
  if (server !== null) return serverGateway(server).providers();
  const { catalogOf } = await import("../catalog.ts");
  const catalog = catalogOf(settings);
  const providers = await Promise.all(catalog.all().map((provider) => provider.describe()));
  return { providers: providers.map(toWireProvider), defaultProvider: catalog.defaultName };
}

export async function listProviders(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { providers, defaultProvider } = await readProviders(flags);
  if (flags.json === true) return printer.json({ providers, defaultProvider });
  return printer.table(
    providers.map(({ name, title, installed, command, install, loginStatus }) => [
      name,
      title,
      `${installed ? "yes" : "no"}${name === defaultProvider ? ", the default" : ""}`,
      loginText(loginStatus),
      installed ? command.join(" ") : install,
    ]),
    [
      "NAME",
      { title: "TITLE", flexible: true },
      {
        title: "INSTALLED",
        style: (text, paint) => (text.startsWith("yes") ? paint.green(text) : paint.dim(text)),
      },
      { title: "LOGGED IN", flexible: true },
      "COMMAND, OR HOW TO INSTALL IT",
    ],
  );
}

function loginText({ state, label }: Provider["loginStatus"]): string {
  switch (state) {
    case "in":
      return label ?? "yes";
    case "out":
      return "no";
    case "unknown":
      return "unknown";
    default:
      return state satisfies never;
  }
}
