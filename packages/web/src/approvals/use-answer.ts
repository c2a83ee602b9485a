import { useQueryClient } from "@tanstack/react-query";
import { type RefCallback, useCallback, useEffect, useRef, useState } from "react";
import { client } from "../api/client.ts";
import { pageStorage } from "../api/page-storage.ts";
import { suspensionsQuery } from "../api/queries.ts";
import { announce } from "../app/announce.tsx";
import { afterFailure, type Answering } from "./answering.ts";
import { draftKeyOf } from "./text-answer.tsx";

/** A new or newly visible card ignores presses that were meant for something else. */
const INERT_MS = 500;

/** True for a moment after the key changed or the page became visible. */
export function useInert(key: string): boolean {
  const [ready, setReady] = useState<string | null>(null);
  useEffect(() => {
    let timer = setTimeout(() => setReady(key), INERT_MS);
    const onShown = (): void => {
      if (document.visibilityState !== "visible") return;
      clearTimeout(timer);
      setReady(null);
      timer = setTimeout(() => setReady(key), INERT_MS);
    };
    document.addEventListener("visibilitychange", onShown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onShown);
    };
  }, [key]);
  return ready !== key;
}

/** The end must stay on the screen so long: a key that scrolls to it cannot allow with the next press. */
const READ_MS = 400;

/** What has been read of each request: the virtual list draws its cards again after scrolling. */
const read = new Map<string, string>();

/** Whether the element, which is after the last line of a request, has been on the screen since `about` changed. */
export function useSeen(
  suspensionId: string,
  about: string,
): readonly [RefCallback<HTMLElement>, boolean] {
  const [seen, setSeen] = useState(() => read.get(suspensionId) ?? null);
  const watch = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const observer = new IntersectionObserver((entries) => {
        clearTimeout(timer);
        if (entries.at(-1)?.isIntersecting !== true) return;
        timer = setTimeout(() => {
          observer.disconnect();
          read.set(suspensionId, about);
          setSeen(about);
        }, READ_MS);
      });
      observer.observe(element);
      return () => {
        clearTimeout(timer);
        observer.disconnect();
      };
    },
    [suspensionId, about],
  );
  return [watch, seen === about];
}

/** Answers a suspension, one answer at a time. */
export function useAnswer(
  sessionId: string,
  suspensionId: string,
  onAnswered: (() => void) | undefined,
): readonly [Answering, (answer: unknown) => void] {
  const [answering, setAnswering] = useState<Answering>({ at: "open" });
  const isBusy = useRef(false);
  const queries = useQueryClient();
  const told = useRef(onAnswered);
  useEffect(() => {
    told.current = onAnswered;
  });
  const give = useCallback(
    (answer: unknown) => {
      if (isBusy.current) return;
      isBusy.current = true;
      setAnswering({ at: "sending", answer });
      client.sessions
        .answer(sessionId, { suspensionId, answer })
        .then(
          (): Answering => ({ at: "answered", answer }),
          (error: unknown) => afterFailure(error, answer),
        )
        .then((next) => {
          isBusy.current = next.at === "answered" || next.at === "late";
          if (isBusy.current) {
            pageStorage.set(draftKeyOf(suspensionId), null);
            read.delete(suspensionId);
          }
          setAnswering(next);
          announce(WORDS[next.at]);
          if (next.at === "answered") told.current?.();
          return queries.invalidateQueries({ queryKey: suspensionsQuery.queryKey });
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
  answered: "Answered",
  late: "Already answered elsewhere",
  refused: "Some fields are not valid",
  failed: "The answer was not sent",
} as const satisfies Record<Answering["at"], string>;
