import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { client } from "../api/client.ts";
import { SUSPENSIONS } from "../api/queries.ts";
import { announce } from "../app/announce.tsx";
import { afterFailure, type Answering } from "./answering.ts";

/** Gives an answer to a suspension, one at a time. */
export function useAnswer({
  sessionId,
  suspensionId,
}: {
  readonly sessionId: string;
  readonly suspensionId: string;
}): readonly [Answering, (answer: unknown) => void] {
  const [answering, setAnswering] = useState<Answering>({ at: "open" });
  const isBusy = useRef(false);
  const queries = useQueryClient();
  const give = useCallback(
    (answer: unknown) => {
      if (isBusy.current) return;
      isBusy.current = true;
      setAnswering({ at: "sending", answer });
      client.sessions
        .answer(sessionId, { suspensionId, answer })
        .then(
          (): Answering => ({ at: "given", answer }),
          (error: unknown) => afterFailure(error, answer),
        )
        .then((next) => {
          isBusy.current = next.at === "given" || next.at === "late";
          setAnswering(next);
          announce(WORDS[next.at]);
          return queries.invalidateQueries({ queryKey: [SUSPENSIONS] });
        })
        .catch(() => {});
    },
    [queries, sessionId, suspensionId],
  );
  return [answering, give];
}

const WORDS = {
  open: "",
  sending: "",
  given: "Answered",
  late: "Already answered elsewhere",
  failed: "The answer was not sent",
} as const satisfies Record<Answering["at"], string>;
