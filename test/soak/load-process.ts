import { fork } from "node:child_process";
import path from "node:path";
import { COMPILE_CACHE } from "../machine/compile-cache.ts";

/** A process that makes load, so that the making does not slow down what is measured. */
export interface LoadProcess<To extends { readonly type: string }, From extends { type: string }> {
  send(message: To): void;
  /** Sends, and resolves with the next message of that type, or that of them which is meant. */
  ask<Type extends From["type"]>(
    message: To,
    type: Type,
    isMeant?: (reply: From) => boolean,
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
    /** It has ended before it was told to. */
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
      if (!isEnding) onLost(new Error(`${program} ended with ${code ?? signal}`));
    });
  });
  // One for each question that is open.
  child.setMaxListeners(0);
  child.on("message", onMessage);
  return {
    send: (message) => void child.send(message),
    ask: (message, type, isMeant = () => true) =>
      new Promise((resolve) => {
        const onReply = (reply: From): void => {
          if (!isOf(reply, type) || !isMeant(reply)) return;
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
