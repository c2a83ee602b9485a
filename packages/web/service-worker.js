// The service worker: it caches the files of the page, so that the page opens without the server. It never caches data of the server.
// The build replaces the two constants and writes the result as /sw.js.

/** Files of the page with a fingerprint of each. A new list makes this file differ, so browsers install it anew. */
const FILES = [];
/** Paths that the server answers itself. */
const SERVER_PATHS = [];

const PREFIX = "holdfast-page-";
const CACHE = PREFIX + fingerprintOf(FILES);
const CACHED_PATHS = new Set(FILES.map(({ url }) => `/${url}`));

addEventListener("install", (event) => {
  // A new build takes over with the next visit, without waiting until all pages are closed.
  skipWaiting();
  event.waitUntil(fillCache());
});

addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([clients.claim(), removeOldCaches()]));
});

addEventListener("fetch", (event) => {
  const path = cachedPathFor(event.request);
  if (path !== undefined) event.respondWith(fromCache(path, event.request));
});

/** A pressed notification opens its session. */
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data?.href ?? "/"));
});

async function fillCache() {
  const cache = await caches.open(CACHE);
  // The server decides by its headers what the browser may reuse; assets have the hash of their content in their name.
  await cache.addAll(
    FILES.map(
      ({ url }) => new Request(`/${url}`, url.startsWith("assets/") ? {} : { cache: "no-cache" }),
    ),
  );
}

/** Also removes the caches of the worker that earlier versions had. */
async function removeOldCaches() {
  const names = await caches.keys();
  const old = names.filter(
    (name) => name !== CACHE && (name.startsWith(PREFIX) || name.startsWith("workbox-precache-")),
  );
  await Promise.all(old.map((name) => caches.delete(name)));
}

function cachedPathFor({ method, mode, url }) {
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return undefined;
  if (CACHED_PATHS.has(pathname)) return pathname;
  const isOfServer = SERVER_PATHS.some(
    (path) => pathname === path || pathname.startsWith(`${path}/`),
  );
  return mode === "navigate" && !isOfServer ? "/index.html" : undefined;
}

/** A browser may have deleted the cache to save space. */
async function fromCache(path, request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(path)) ?? fetch(request);
}

async function show(href) {
  const pages = await clients.matchAll({ type: "window" });
  const page = pages.find((each) => each.url === new URL(href, location.origin).href) ?? pages[0];
  if (page === undefined) return clients.openWindow(href);
  await page.focus();
  page.postMessage({ kind: "go", href });
}

/** FNV-1a of the list: it only has to differ between builds. */
function fingerprintOf(files) {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(files))
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return (hash >>> 0).toString(16);
}
