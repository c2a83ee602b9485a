import "./without-eval.ts";
import { createClient } from "@holdfast/client";
import { createRef } from "react";
import { createRoot } from "react-dom/client";
import "../../../packages/web/src/style.css";
import { createFind } from "../../../packages/web/src/transcript/find.ts";
import {
  Transcript,
  type TranscriptHandle,
} from "../../../packages/web/src/transcript/transcript-list.tsx";
import { createTranscript } from "../../../packages/web/src/transcript/transcript-store.ts";

/** What the benchmark asks the page for. */
export interface BenchPage {
  /** Has older messages come; how far what is read has moved then. */
  driftOfOlder(): Promise<number>;
  /** Gives every message its rows, and goes to the end. */
  revealAll(): Promise<number>;
  /** Characters of the answer that are on the screen or above it. */
  shownLength(): number;
  nodes(): number;
  distanceFromEnd(): number;
  /** Goes up, and watches where a row is; `drift` says how far it was away from there in any frame since. */
  readAbove(pixels: number): Promise<boolean>;
  drift(): number;
  /** Reads the policy's complaints. */
  violations(): readonly string[];
}

declare global {
  interface Window {
    bench?: BenchPage;
  }
}

const violations: string[] = [];
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  violations.push(`${violatedDirective} ${blockedURI}`);
});

if (location.hash === "#dark") document.documentElement.dataset["theme"] = "dark";

const client = createClient({ url: location.origin });
const session = await client.sessions.get("bench");
const store = createTranscript({ sessionId: "bench" });
store.load(session);

const handle = createRef<TranscriptHandle>();
const root = document.querySelector("#root");
if (root === null) throw new Error("unreachable: the page has a root");
createRoot(root).render(
  <div className="h-dvh">
    <Transcript
      ref={handle}
      store={store}
      find={createFind(store)}
      runLabel={() => "demo"}
      noticeAction={() => null}
      root="/repo"
    />
  </div>,
);

const list = (): HTMLElement => {
  const element = document.querySelector<HTMLElement>(".transcript-list");
  if (element === null) throw new Error("the transcript is not there");
  return element;
};

const frames = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
};

let worst = 0;
let watching = 0;

/** Looks after each frame, when everything of it has been shown. */
function watch(element: Element): void {
  const { top } = element.getBoundingClientRect();
  watching += 1;
  const own = watching;
  worst = 0;
  const look = (): void => {
    if (own !== watching) return;
    const now = element.isConnected ? element.getBoundingClientRect().top : Infinity;
    worst = Math.max(worst, Math.abs(now - top));
    requestAnimationFrame(() => setTimeout(look));
  };
  look();
}

window.bench = {
  async driftOfOlder() {
    store.revealOlder();
    await frames(30);
    return worst;
  },
  async revealAll() {
    watching += 1;
    while (store.hasOlder) store.revealOlder();
    await frames(2);
    handle.current?.scrollToEnd();
    await frames(30);
    return store.rows.length;
  },
  shownLength() {
    const last = store.rows.at(-1);
    return last === undefined ? 0 : store.words(last.messageId).length;
  },
  nodes: () => document.evaluate("count(//node())", document, null, 1, null).numberValue,
  distanceFromEnd() {
    const { scrollHeight, clientHeight, scrollTop } = list();
    return scrollHeight - clientHeight - scrollTop;
  },
  async readAbove(pixels) {
    const element = list();
    for (let gone = 0; gone < pixels; gone += 400) {
      element.scrollBy(0, -400);
      await frames(1);
    }
    await frames(30);
    const { top, height } = element.getBoundingClientRect();
    const row = [...element.querySelectorAll("[data-row]")].find(
      (each) => each.getBoundingClientRect().top >= top + height / 4,
    );
    if (row !== undefined) watch(row);
    return row !== undefined;
  },
  drift: () => worst,
  violations: () => violations,
};

for await (const event of client.sessions.events("bench", { after: session.lastEventId })) {
  store.apply(event);
}
