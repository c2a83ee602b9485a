import { isObject } from "@holdfast/client";
import type { Suspension } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { pageStorage } from "../api/page-storage.ts";
import { suspensionsQuery } from "../api/queries.ts";
import { createListeners } from "../api/store.ts";
import { isForPerson } from "../api/for-person.ts";
import { announce } from "./announce.tsx";
import { hrefOf, parsePlace } from "./place.ts";
import { goTo } from "./router.ts";

const KEY = "holdfast.notifications";

export type NotificationChoice = "unsupported" | "off" | "on" | "blocked";

const listeners = createListeners();

export function useNotificationChoice(): NotificationChoice {
  return useSyncExternalStore(listeners.add, currentChoice);
}

/** Asks the browser for permission when necessary. */
export async function chooseNotifications(isOn: boolean): Promise<void> {
  if (isOn && Notification.permission === "default") await Notification.requestPermission();
  pageStorage.set(KEY, isOn ? "on" : null);
  listeners.notify();
}

/** Opens the page that the service worker names when a notification is pressed. */
export function useNotificationClicks(): void {
  useEffect(() => {
    const follow = ({ data }: MessageEvent<unknown>): void => {
      const href = isObject(data) ? data["href"] : null;
      if (typeof href !== "string") return;
      const place = parsePlace(new URL(href, location.origin));
      if (place !== null) goTo(place);
    };
    navigator.serviceWorker?.addEventListener("message", follow);
    return () => navigator.serviceWorker?.removeEventListener("message", follow);
  }, []);
}

/** Announces each new request to screen readers, and with a notification while the page is hidden. */
export function useWaitingNotices(): void {
  const { data } = useQuery(suspensionsQuery);
  const knownIds = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (data === undefined) return;
    const waiting = data.suspensions.filter(isForPerson);
    const before = knownIds.current;
    knownIds.current = new Set(waiting.map(({ id }) => id));
    if (before === null) return;
    const added = waiting.filter(({ id }) => !before.has(id));
    if (added.length === 0) return;
    announce(added.length === 1 ? waitingText(added[0]) : `${added.length} sessions wait for you`);
    if (document.visibilityState !== "hidden" || currentChoice() !== "on") return;
    for (const suspension of added) void notify(suspension);
  }, [data]);
}

function currentChoice(): NotificationChoice {
  if (!("Notification" in globalThis)) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return pageStorage.get(KEY) === "on" && Notification.permission === "granted" ? "on" : "off";
}

/** Several pages may notify about the same request; the tag merges these notifications. */
async function notify(suspension: Suspension): Promise<void> {
  const place = { page: "session", id: suspension.sessionId } as const;
  const options = {
    body: bodyOf(suspension),
    tag: suspension.id,
    icon: "/icon-192.png",
    data: { href: hrefOf(place) },
  };
  const title = waitingText(suspension);
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration !== undefined) return registration.showNotification(title, options);
  const notification = new Notification(title, options);
  notification.addEventListener("click", () => {
    window.focus();
    goTo(place);
  });
}

function waitingText(suspension: Pick<Suspension, "kind"> | undefined): string {
  switch (suspension?.kind) {
    case "permission":
      return "Permission needed";
    case "budget":
      return "A budget is used up";
    case "login":
      return "A login is needed";
    default:
      return "A session needs you";
  }
}

function bodyOf({ request }: Suspension): string {
  const text = request["title"] ?? request["question"] ?? "";
  return typeof text === "string" ? text.slice(0, 200) : "";
}
