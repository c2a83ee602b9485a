import { AgentFault } from "../../provider.ts";
import {
  openJsonRpcPeer,
  type JsonRpcPeer,
  type PeerOptions,
  type RequestOptions,
} from "../wire/json-rpc-peer.ts";
import { looseList, looseObject } from "../wire/loose.ts";
import { RPC_CODES, RpcError } from "../wire/rpc-error.ts";
import { initializeParams, initializeResult, isSecondVersion } from "./initialize.ts";
import { SecondVersion } from "./second-version.ts";

/** The version of the protocol to speak. `auto`: version 2 with agents that have it, otherwise version 1. */
export type ProtocolChoice = 1 | 2 | "auto";

export interface VersionedPeerOptions extends Omit<PeerOptions, "decode"> {
  readonly protocol: ProtocolChoice;
  /** The agent's name in error messages. */
  readonly title: string;
}

/** A peer that is used as in version 1 of the protocol, and may speak version 2 with the agent. */
export function openVersionedPeer({
  protocol,
  title,
  ...options
}: VersionedPeerOptions): JsonRpcPeer {
  if (protocol === 1) return openJsonRpcPeer(options);
  let second: SecondVersion | null = null;
  const { handlers, onNotification } = options;
  const peer = openJsonRpcPeer({
    ...options,
    decode: (frame) => second?.decode(frame) ?? frame,
    handlers: Object.fromEntries(
      Object.entries(handlers).map(([method, handler]) => [
        method,
        (params, id) => handler(second === null ? params : second.incoming(method, params), id),
      ]),
    ),
    onNotification: (method, params) => {
      if (second === null || method !== "session/update") return onNotification(method, params);
      for (const update of second.updates(params)) onNotification(method, update);
    },
  });

  void peer.closed.then((reason) => second?.close(reason));

  const initialize = async (params: unknown, limits?: RequestOptions): Promise<unknown> => {
    const isOpen = protocol === "auto";
    try {
      const result = await peer.request("initialize", initializeParams(params, { isOpen }), limits);
      if (isSecondVersion(result)) {
        second = new SecondVersion();
        return initializeResult(result);
      }
      if (!isOpen) throw noSecondVersion(title, looseObject(result)?.["protocolVersion"]);
      return asFirstVersion(result);
    } catch (error) {
      if (!isOpen || !mayKnowFirst(error)) throw error;
      return peer.request("initialize", params, limits);
    }
  };

  const prompt = async (version: SecondVersion, params: unknown, limits?: RequestOptions) => {
    const open = version.beginPrompt(params);
    try {
      await peer.request("session/prompt", params, limits);
      open.take();
      return await open.ended;
    } finally {
      version.endPrompt();
    }
  };

  return {
    ...peer,
    get lastId() {
      return peer.lastId;
    },
    request: async (method, params, limits) => {
      if (method === "initialize") return initialize(params, limits);
      if (second === null) return peer.request(method, params, limits);
      if (method === "session/prompt") return prompt(second, params, limits);
      const outgoing = second.outgoing(method, params);
      return second.result(await peer.request(outgoing.method, outgoing.params, limits));
    },
  };
}

/** Some agents repeat the version they were asked for. */
function asFirstVersion(result: unknown): unknown {
  const fields = looseObject(result);
  return fields?.["protocolVersion"] === 2 ? { ...fields, protocolVersion: 1 } : result;
}

/** Whether the agent may have refused only the version, or the form of the request. */
function mayKnowFirst(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  if (error.code === RPC_CODES.unsupportedVersion) {
    const supported = looseObject(error.data)?.["supported"];
    return !Array.isArray(supported) || looseList(supported).includes(1);
  }
  return error.code === RPC_CODES.invalidParams || error.code === RPC_CODES.invalidRequest;
}

function noSecondVersion(title: string, version: unknown): AgentFault {
  const theirs =
    version === 2 ? "version 1, although it says 2," : `version ${JSON.stringify(version)}`;
  return new AgentFault("agent_unintelligible", `${title} speaks ${theirs} of the protocol, not 2`);
}
