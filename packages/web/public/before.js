// Sets the theme before the first paint. A file, because the security policy forbids inline scripts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("holdfast.theme");
  } catch {
    // Without storage the system's theme is used.
  }
  const isDark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  document
    .querySelector('meta[name="theme-color"]')
    ?.setAttribute("content", isDark ? "#111514" : "#f6f7f6");
})();
