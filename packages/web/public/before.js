// Runs before the page is painted and before any module: a file, since the page allows no inline script.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("holdfast.theme");
  } catch {
    // Storage is switched off: the system's theme it is.
  }
  const isDark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  document
    .querySelector('meta[name="theme-color"]')
    ?.setAttribute("content", isDark ? "#111514" : "#f6f7f6");
})();
