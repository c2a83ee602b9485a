import type { ReactElement } from "react";
import { access } from "../api/client.ts";
import { signOut } from "../api/sign-in.ts";
import { useStore } from "../api/store.ts";
import {
  chooseNotifications,
  type NotificationChoice,
  useNotificationChoice,
} from "../app/notifications.ts";
import { type Theme, THEME_NAMES, THEMES, useTheme } from "../app/theme.ts";
import { Button } from "../ui/button.tsx";
import { Facts, Section } from "./section.tsx";

const NOTIFICATIONS = {
  on: "You are notified of requests while this page is hidden.",
  off: "Requests appear only on this page.",
  blocked: "The browser blocks them. Allow them in its settings for this site.",
  unsupported: "This browser does not support them.",
} as const satisfies Record<NotificationChoice, string>;

/** Settings stored in this browser. */
export function ThisBrowser(): ReactElement {
  const notifications = useNotificationChoice();
  const { key } = useStore(access);
  return (
    <Section title="This browser">
      <Facts>
        {[
          { name: "Theme", value: <ThemeChoice /> },
          {
            name: "Notifications",
            value: (
              <span className="flex flex-wrap items-center gap-3">
                {(notifications === "on" || notifications === "off") && (
                  <Button
                    size="small"
                    onClick={() => void chooseNotifications(notifications === "off")}
                  >
                    {notifications === "on" ? "Turn off" : "Turn on"}
                  </Button>
                )}
                <span className="text-muted">{NOTIFICATIONS[notifications]}</span>
              </span>
            ),
          },
          {
            name: "Sign-in",
            value:
              key === null ? (
                <span className="text-muted">The server requires no sign-in.</span>
              ) : (
                <span className="flex flex-wrap items-center gap-3">
                  <Button size="small" onClick={() => void signOut({ everywhere: false })}>
                    Sign out
                  </Button>
                  <Button size="small" onClick={() => void signOut({ everywhere: true })}>
                    Sign out everywhere
                  </Button>
                  <span className="text-muted">This browser stays signed in for 400 days.</span>
                </span>
              ),
          },
        ]}
      </Facts>
    </Section>
  );
}

function ThemeChoice(): ReactElement {
  const [theme, choose] = useTheme();
  return (
    <div role="radiogroup" aria-label="Theme" className="flex flex-wrap gap-x-4 gap-y-1">
      {THEMES.map((each: Theme) => (
        <label key={each} className="inline-flex items-center gap-1.5 pointer-coarse:min-h-11">
          <input
            type="radio"
            name="theme"
            className="size-4 accent-accent"
            checked={theme === each}
            onChange={() => choose(each)}
          />
          {THEME_NAMES[each]}
        </label>
      ))}
    </div>
  );
}
