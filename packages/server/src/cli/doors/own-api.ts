import { createSocketFetch, createUncheckedClient, type Client } from "@holdfast/client";
import type { DoorCaller } from "../../http/doors/door-caller.ts";
import { socketFileIn } from "../access/socket-file.ts";
import { localUrl } from "../settings/data-folder.ts";

/** The server's own API for a caller at one of its doors: over the server's own address, and with the caller's token. */
export function ownApi(
  { via, authorization }: DoorCaller,
  options: {
    readonly address: string;
    readonly dataFolder: string;
    readonly userAgent: string;
  },
): Client {
  const send = via === "socket" ? createSocketFetch(socketFileIn(options.dataFolder)) : fetch;
  return createUncheckedClient({
    url: localUrl(options.address),
    userAgent: options.userAgent,
    fetch: withAuthorization(send, authorization),
  });
}

function withAuthorization(send: typeof fetch, authorization: string | null): typeof fetch {
  if (authorization === null) return send;
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", authorization);
    return send(input, { ...init, headers });
  };
}
