import { v7 as newKey } from "uuid";
import type { AcpEndpoint } from "../../doors/acp/acp-endpoint.ts";
import { EDITOR } from "../../http/guard/caller.ts";
import type { EditorDoor } from "../../http/doors/editor-door.ts";
import type { LogFile } from "../log-file.ts";
import { VERSION } from "../version.ts";
import { ownApi } from "./own-api.ts";

/**
 * The server's own `/acp`. An editor there uses the same API as all other clients, over the server's own address and with its own
 * token. Loaded with the first editor, because few servers need it at their start.
 */
export function openEditorDoor({
  address,
  dataFolder,
  logger,
}: {
  /** Of this server; known before the first request. */
  readonly address: () => string;
  readonly dataFolder: string;
  readonly logger: Pick<LogFile["logger"], "warn">;
}): EditorDoor {
  let loaded: Promise<AcpEndpoint> | null = null;
  const load = async (): Promise<AcpEndpoint> => {
    const [{ createAcpEndpoint }, { createAcpDoor }] = await Promise.all([
      import("../../doors/acp/acp-endpoint.ts"),
      import("../../doors/acp/acp-door.ts"),
    ]);
    return createAcpEndpoint((caller) =>
      createAcpDoor({
        client: ownApi(caller, {
          address: address(),
          dataFolder,
          userAgent: `${EDITOR}/${VERSION}`,
        }),
        version: VERSION,
        newKey,
        log: (text, err) => logger.warn({ err }, `an editor: ${text}`),
      }),
    );
  };
  const use = (work: (endpoint: AcpEndpoint) => void, fail: (error: Error) => void): void => {
    loaded ??= load();
    loaded.then(work).catch((error: unknown) => {
      logger.warn({ err: error }, "an editor could not be answered");
      fail(error instanceof Error ? error : new Error(String(error)));
    });
  };
  return {
    handle: (request, response, caller) =>
      use(
        (endpoint) => endpoint.handle(request, response, caller),
        (error) => response.destroy(error),
      ),
    upgrade: (request, socket, head, caller) =>
      use(
        (endpoint) => endpoint.upgrade(request, socket, head, caller),
        (error) => socket.destroy(error),
      ),
    close: async () => (await loaded)?.close(),
  };
}
