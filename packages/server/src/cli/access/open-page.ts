import { spawn } from "node:child_process";
import { createClient } from "@holdfast/client";
import { CommandFailure } from "../exit.ts";
import { findServer, gatewaySettings, type CommonFlags } from "../gateway/find-server.ts";
import { signInAddress } from "./sign-in-address.ts";
import { commandLine } from "../terminal/invocation.ts";
import { openPrinter } from "../terminal/printer.ts";

export interface OpenFlags extends CommonFlags {
  readonly print?: true;
}

/** Opens the web page in a browser and signs it in; prints the address where there is no browser. */
export async function openPage(flags: OpenFlags): Promise<void> {
  const printer = openPrinter(flags);
  const server = await findServer(flags, gatewaySettings(flags));
  if (server === null)
    throw new CommandFailure(`No server runs. Start one with: ${commandLine("up")}`);
  const client = createClient(server.client);
  const { auth } = await client.readiness();
  const address =
    auth === "none" ? `${server.url}/` : signInAddress(server.url, await client.signInCode());
  if (flags.json === true) return printer.json({ url: address });
  const program = flags.print === true ? null : browserProgram(process.env);
  if (program !== null && (await isStarted(program, address)))
    return printer.line(`Opened ${server.url} in your browser.`);
  printer.note("Open this address in a browser. It works once, within 10 minutes:");
  return printer.line(address);
}

/** Null where no browser can be shown. */
function browserProgram(environment: NodeJS.ProcessEnv): string | null {
  if (process.platform === "darwin") return "open";
  const hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].some(
    (name) => (environment[name] ?? "") !== "",
  );
  return hasDisplay ? "xdg-open" : null;
}

async function isStarted(program: string, address: string): Promise<boolean> {
  const child = spawn(program, [address], { stdio: "ignore", detached: true });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
