import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { openPageStorage } from "./api/page-storage.ts";
import { createQueryClient } from "./api/query-client.ts";
import { App } from "./app/app.tsx";
import { registerServiceWorker, reloadWhenOutdated } from "./app/service-worker.ts";
import "./style.css";

const root = document.getElementById("root");
if (root === null) throw new Error("unreachable: index.html has an element #root");

reloadWhenOutdated(openPageStorage(() => sessionStorage));
createRoot(root).render(
  <StrictMode>
    <App queries={createQueryClient()} />
  </StrictMode>,
);
addEventListener("load", () => void registerServiceWorker().catch(() => {}));
