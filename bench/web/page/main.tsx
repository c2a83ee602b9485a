import { createUncheckedClient } from "@holdfast/client";
import { createRef } from "react";
import { createRoot } from "react-dom/client";
import "../../../packages/web/src/style.css";
import { createFind } from "../../../packages/web/src/transcript/find.ts";
import {
  Transcript,
  type TranscriptHandle,
} from "../../../packages/web/src/transcript/transcript-list.tsx";
import { createTranscript } from "../../../packages/web/src/transcript/transcript-store.ts";

/** Functions of the page that the benchmark calls. */
export interface BenchPage {
  /** Loads older messages, and returns how far the visible text moved. */
  driftOfOlder(): Promise<number>;
  /** Renders all messages and scrolls to the end. */
  revealAll(): Promise<number>;
  /** Number of shown characters of the answer. */
  shownLength(): number;
  nodes(): number;
  distanceFromEnd(): number;
  /** Scrolls up and watches the position of a row. `drift` returns its maximum movement in any frame since. */
  readAbove(pixels: number): Promise<boolean>;
  drift(): number;
  /** Violations of the security policy. */
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

const client = createUncheckedClient({ url: location.origin });
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
      moreActions={() => null}
      onChanges={() => undefined}
      noticeAction={() => null}
      running={null}
      root="/repo"
    />
  </div>,
);

const list = (): HTMLElement => {
  const element = document.querySelector<HTMLElement>(".transcript-list");
  if (element === null) throw new Error("the transcript is missing");
  return element;
};

const frames = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
};

let maxDrift = 0;
let watching = 0;

/** Checks the position after each frame is rendered. */
function watch(element: Element): void {
  const { top } = element.getBoundingClientRect();
  watching += 1;
  const own = watching;
  maxDrift = 0;
  const check = (): void => {
    if (own !== watching) return;
    const now = element.isConnected ? element.getBoundingClientRect().top : Infinity;
    maxDrift = Math.max(maxDrift, Math.abs(now - top));
    requestAnimationFrame(() => setTimeout(check));
  };
  check();
}

window.bench = {
  async driftOfOlder() {
    store.revealOlder();
    await frames(30);
    return maxDrift;
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
  drift: () => maxDrift,
  violations: () => violations,
};

for await (const event of client.sessions.events("bench", { after: session.lastEventId })) {
  store.apply(event);
}
