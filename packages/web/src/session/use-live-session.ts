import { useEffect, useState, useSyncExternalStore } from "react";
import { client, waiting } from "../api/client.ts";
import { createFind, type Find } from "../transcript/find.ts";
import { createTranscript, type TranscriptStore } from "../transcript/transcript-store.ts";
import { createLiveSession, type LiveSession, type LiveState } from "./live-session.ts";

export interface OpenSession {
  readonly live: LiveSession;
  readonly transcript: TranscriptStore;
  readonly find: Find;
}

/** Opens a session and follows it while the component is mounted. */
export function useLiveSession(id: string): OpenSession & { readonly state: LiveState } {
  const [open] = useState(() => openSession(id));
  useEffect(() => {
    const stop = new AbortController();
    void open.live.run(stop.signal);
    return () => {
      stop.abort();
      open.transcript.close();
    };
  }, [open]);
  const state = useSyncExternalStore(open.live.subscribe, open.live.getSnapshot);
  return { ...open, state };
}

function openSession(id: string): OpenSession {
  const transcript = createTranscript({ sessionId: id });
  const live = createLiveSession({
    id,
    sessions: client.sessions,
    waiting,
    onLoad: transcript.load,
    onEvent: transcript.apply,
    onFault: (error) => reportError(error),
  });
  return { live, transcript, find: createFind(transcript) };
}
