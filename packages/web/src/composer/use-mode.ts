import type { AgentOption, Session } from "@holdfast/protocol";
import { useCallback, useRef, useState } from "react";
import { client } from "../api/client.ts";
import { showFailure } from "../ui/toast.ts";

/** A mode that a person chose. `version`: the session that has it; null until the server has replied. */
interface ChosenMode {
  readonly value: string;
  readonly version: number | null;
}

/** The mode of the session's agent, shown as chosen before the server has replied. */
export interface ShownMode {
  readonly option: AgentOption | null;
  /** A choice that the server may not have stored yet. */
  readonly unstored: string | null;
  readonly change: (value: string) => void;
}

/** Changes are sent one after the other; of several that wait, only the last. */
export function useMode(
  { id, version }: Pick<Session, "id" | "version">,
  option: AgentOption | null,
): ShownMode {
  const [chosen, setChosen] = useState<ChosenMode | null>(null);
  const wanted = useRef<string | null>(null);
  const isSending = useRef(false);
  const change = useCallback(
    (value: string) => {
      wanted.current = value;
      setChosen({ value, version: null });
      if (isSending.current) return;
      isSending.current = true;
      const sendAll = async (): Promise<void> => {
        while (wanted.current !== null) {
          const mode = wanted.current;
          wanted.current = null;
          const session = await client.sessions.update(id, { mode });
          setChosen((now) =>
            now?.value === mode && wanted.current === null
              ? { ...now, version: session.version }
              : now,
          );
        }
      };
      sendAll()
        .catch((error: unknown) => {
          wanted.current = null;
          setChosen(null);
          showFailure("The mode was not changed", error);
        })
        .finally(() => {
          isSending.current = false;
        });
    },
    [id],
  );
  const isShown = chosen !== null && (chosen.version === null || chosen.version > version);
  return {
    option: option === null || !isShown ? option : { ...option, value: chosen.value },
    unstored: isShown && chosen.version === null ? chosen.value : null,
    change,
  };
}
