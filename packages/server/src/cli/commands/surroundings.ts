import { defined } from "../../domain/defined.ts";
import type { ProvidersReply } from "@holdfast/protocol";
import { toWireProvider } from "../../http/wire/to-wire.ts";
import { gatewaySettings, findServer } from "../gateway/find-server.ts";
import { serverGateway } from "../gateway/session-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";
import { timeAgo } from "../terminal/format.ts";
import { withGateway, type CommonFlags } from "./tracking.ts";

export async function listRepos(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { repos } = await withGateway(flags, (gateway) => gateway.repos.list(), { access: "read" });
  if (flags.json === true) return printer.json(repos);
  if (repos.length === 0 && printer.isForPeople)
    return printer.note("No repositories. Add one with: holdfast repos add PATH");
  const now = Date.now();
  return printer.table(
    repos.map(({ id, name, path, createdAt }) => [
      id,
      name,
      path,
      printer.isForPeople ? timeAgo(createdAt, now) : createdAt,
    ]),
    [
      { title: "ID" },
      { title: "NAME", flexible: true },
      { title: "PATH", flexible: true },
      { title: "ADDED" },
    ],
  );
}

export interface AddRepoFlags extends CommonFlags {
  readonly name?: string;
  readonly label?: string;
}

export async function addRepo(path: string, flags: AddRepoFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { resolve } = await import("node:path");
  const { name, label } = flags;
  const request = defined({ path: resolve(path), name, label });
  const repo = await withGateway(flags, (gateway) => gateway.repos.add(request), {
    access: "create",
  });
  if (flags.json === true) printer.json(repo);
  else printer.line(repo.id);
}

export async function removeRepo(id: string, flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const repo = await withGateway(flags, (gateway) => gateway.repos.remove(id), {
    access: "change",
  });
  if (flags.json === true) printer.json(repo);
  else
    printer.line(`${repo.name} is removed from the list. The files in ${repo.path} are unchanged.`);
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
    providers.map(({ name, title, installed, command, install }) => [
      name,
      title,
      `${installed ? "yes" : "no"}${name === defaultProvider ? ", the default" : ""}`,
      installed ? command.join(" ") : install,
    ]),
    [
      { title: "NAME" },
      { title: "TITLE", flexible: true },
      {
        title: "INSTALLED",
        style: (text, paint) => (text.startsWith("yes") ? paint.green(text) : paint.dim(text)),
      },
      { title: "COMMAND, OR HOW TO INSTALL IT" },
    ],
  );
}
