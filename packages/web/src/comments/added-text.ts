import { useEffect, useRef } from "react";
import { drafts } from "../composer/page-outbox.ts";

type Listener = (text: string) => void;

const listeners = new Map<string, Listener>();

/** Adds text to the draft of a session. Its message box shows it and gets the focus. */
export function addToDraft(sessionId: string, text: string): void {
  const draft = drafts.read(sessionId);
  const whole = draft.text.trim() === "" ? text : `${draft.text.trimEnd()}\n\n${text}`;
  drafts.write(sessionId, { ...draft, text: whole });
  listeners.get(sessionId)?.(whole);
}

/** Calls back with the whole draft when something else than the message box adds to it. */
export function useAddedText(sessionId: string, onAdded: Listener): void {
  const latest = useRef(onAdded);
  useEffect(() => {
    latest.current = onAdded;
  });
  useEffect(() => {
    const listener: Listener = (text) => latest.current(text);
    listeners.set(sessionId, listener);
    return () => {
      if (listeners.get(sessionId) === listener) listeners.delete(sessionId);
    };
  }, [sessionId]);
}
