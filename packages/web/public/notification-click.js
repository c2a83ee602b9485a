// Part of the service worker: a pressed notification opens its session.
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data?.href ?? "/"));
});

async function show(href) {
  const pages = await clients.matchAll({ type: "window" });
  const page = pages.find((each) => each.url === new URL(href, location.origin).href) ?? pages[0];
  if (page === undefined) return clients.openWindow(href);
  await page.focus();
  page.postMessage({ kind: "go", href });
}
