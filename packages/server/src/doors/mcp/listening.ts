import { isJSONRPCRequest, type Transport } from "@modelcontextprotocol/server";

/** The transport, and when the client first listens to changes. The SDK handles the request itself and tells nobody. */
export function noteListening(transport: Transport): {
  readonly transport: Transport;
  readonly listens: Promise<void>;
} {
  const listening = Promise.withResolvers<void>();
  const noting: Transport = {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
    set onclose(handler: Transport["onclose"]) {
      transport.onclose = handler;
    },
    set onerror(handler: Transport["onerror"]) {
      transport.onerror = handler;
    },
    set onmessage(handler: Transport["onmessage"]) {
      transport.onmessage = (message, extra) => {
        if (isJSONRPCRequest(message) && message.method === "subscriptions/listen")
          listening.resolve();
        handler?.(message, extra);
      };
    },
  };
  return { transport: noting, listens: listening.promise };
}
