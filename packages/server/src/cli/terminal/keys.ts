import { emitKeypressEvents, type Key as Keypress } from "node:readline";
import type { Terminal } from "./terminal.ts";

export interface Key {
  /** `escape`, `return`, `c`, `1`; empty for what has no name. */
  readonly name: string;
  readonly text: string;
  readonly isControl: boolean;
}

export interface Keys {
  close(): void;
}

/** Every key as it is pressed. The terminal gets its lines back at `close`, and whenever the process ends. */
export function openKeys(
  { stdin, signals }: Pick<Terminal, "stdin" | "signals">,
  onKey: (key: Key) => void,
): Keys {
  const listener = (text: string | undefined, key: Keypress): void => {
    const name = key.name ?? text ?? "";
    // With Alt held down it is another key.
    if (key.meta !== true || name === "escape")
      onKey({ name, text: text ?? "", isControl: key.ctrl === true });
  };
  const giveBack = (): void => void stdin.setRawMode?.(false);
  emitKeypressEvents(stdin);
  signals.on("exit", giveBack);
  stdin.setRawMode?.(true);
  stdin.on("keypress", listener);
  stdin.resume();
  return {
    close() {
      stdin.off("keypress", listener);
      stdin.pause();
      giveBack();
      signals.off("exit", giveBack);
    },
  };
}
