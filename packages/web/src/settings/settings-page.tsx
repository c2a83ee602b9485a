import type { ReactElement } from "react";
import { usePageTitle } from "../app/page-title.ts";
import { Providers } from "./providers.tsx";
import { RemovedSessions } from "./removed-sessions.tsx";
import { Repositories } from "./repositories.tsx";
import { Server } from "./server.tsx";
import { ThisBrowser } from "./this-browser.tsx";

export function SettingsPage(): ReactElement {
  usePageTitle("Settings");
  return (
    <main className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-4 pb-16 md:px-6">
        <h1 className="text-base font-semibold">Settings</h1>
        <ThisBrowser />
        <Providers />
        <Repositories />
        <RemovedSessions />
        <Server />
      </div>
    </main>
  );
}
