import { looseNumber, looseObject, type Loose } from "../wire/loose.ts";
import { PeerFault, RPC_CODES, RpcError } from "../wire/rpc-error.ts";

/**
 * The work on one prompt. Version 2 replies to a prompt as soon as it was taken; the end is a `state_update` to idle.
 * An agent can also work and become idle by itself, so an end before the reply counts only if this work has begun.
 */
export class OpenPrompt {
  readonly sessionId: unknown;
  readonly ended: Promise<Loose>;
  readonly #end: PromiseWithResolvers<Loose>;
  #isTaken = false;
  #hasBegun = false;

  constructor(sessionId: unknown) {
    this.sessionId = sessionId;
    this.#end = Promise.withResolvers<Loose>();
    this.ended = this.#end.promise;
    this.ended.catch(() => {});
  }

  /** The agent has replied to the prompt. */
  take(): void {
    this.#isTaken = true;
  }

  see(update: Loose): void {
    switch (update["state"]) {
      case "running":
      case "requires_action":
        this.#hasBegun = true;
        return;
      case "idle":
        if (this.#isTaken || (this.#hasBegun && typeof update["stopReason"] === "string")) {
          this.#finish(update);
        }
        return;
      default:
        return;
    }
  }

  fail(reason: string): void {
    this.#end.reject(new PeerFault("closed", `No end of session/prompt: ${reason}`));
  }

  #finish({ stopReason, error, usage, _meta }: Loose): void {
    if (stopReason === "error") return this.#end.reject(errorOf(error));
    this.#end.resolve({
      stopReason: typeof stopReason === "string" ? stopReason : "end_turn",
      ...(usage !== undefined && { usage }),
      ...(_meta !== undefined && { _meta }),
    });
  }
}

function errorOf(error: unknown): RpcError {
  const { code, message, data } = looseObject(error) ?? {};
  return new RpcError(
    looseNumber(code) ?? RPC_CODES.internalError,
    typeof message === "string" ? message : "The agent gave no reason",
    data,
  );
}
