import { fork } from "node:child_process";
import path from "node:path";
import { COMPILE_CACHE } from "../machine/compile-cache.ts";

/** A separate process that generates load, so that this does not slow down the measurement. */
export interface LoadProcess<To extends { readonly type: string }, From extends { type: string }> {
  send(message: To): void;
  /** Sends a message and resolves with the next reply of this type that `matches` accepts. */
  ask<Type extends From["type"]>(
    message: To,
    type: Type,
    matches?: (reply: From) => boolean,
  ): Promise<Extract<From, { readonly type: Type }>>;
  end(): Promise<void>;
}

export function openLoadProcess<
  To extends { readonly type: string },
  From extends { readonly type: string },
>(
  program: string,
  {
    args,
    onMessage = () => {},
    onLost,
  }: {
    readonly args: readonly string[];
    readonly onMessage?: (message: From) => void;
    /** The process exited unexpectedly. */
    readonly onLost: (error: Error) => void;
  },
): LoadProcess<To, From> {
  const child = fork(path.join(import.meta.dirname, program), args, {
    execArgv: ["--conditions=holdfast-source", "--disable-warning=ExperimentalWarning"],
    env: { ...process.env, ...COMPILE_CACHE },
  });
  let isEnding = false;
  const exited = new Promise<void>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve();
      if (!isEnding) onLost(new Error(`${program} exited with ${code ?? signal}`));
    });
  });
  // One listener per open request.
  child.setMaxListeners(0);
  child.on("message", onMessage);
  return {
    send: (message) => void child.send(message),
    ask: (message, type, matches = () => true) =>
      new Promise((resolve) => {
        const onReply = (reply: From): void => {
          if (!isOf(reply, type) || !matches(reply)) return;
          child.removeListener("message", onReply);
          resolve(reply);
        };
        child.on("message", onReply);
        child.send(message);
      }),
    end: async () => {
      isEnding = true;
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function isOf<From extends { readonly type: string }, Type extends From["type"]>(
  message: From,
  type: Type,
): message is Extract<From, { readonly type: Type }> {
  return message.type === type;
}
