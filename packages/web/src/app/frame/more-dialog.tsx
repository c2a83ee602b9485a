import { Command, Plus } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { ConnectionBadge } from "../connection-badge.tsx";
import { openOverlay } from "../overlay.ts";
import { goTo } from "../router.ts";
import { THEME_NAMES, THEMES, useTheme } from "../theme.ts";
import { PLACES } from "./places.ts";

/** What does not fit into the tabs of a phone. */
export function MoreDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [theme, chooseTheme] = useTheme();
  return (
    <Dialog open onClose={onClose} title="More" size="small">
      <div className="flex flex-col gap-4">
        <ul>
          {PLACES.slice(2).map(({ page, name, icon: Icon }) => (
            <MoreItem
              key={page}
              icon={<Icon size={18} />}
              onPress={() => {
                onClose();
                goTo({ page });
              }}
            >
              {name}
            </MoreItem>
          ))}
          <MoreItem icon={<Plus size={18} />} onPress={() => openOverlay("new-session")}>
            New session
          </MoreItem>
          <MoreItem icon={<Command size={18} />} onPress={() => openOverlay("palette")}>
            Commands
          </MoreItem>
        </ul>
        <fieldset className="flex flex-wrap items-center gap-x-4">
          <legend className="text-xs font-semibold text-muted">Theme</legend>
          {THEMES.map((each) => (
            <label key={each} className="touch-target flex items-center gap-2">
              <input
                type="radio"
                name="theme"
                className="accent-accent"
                checked={each === theme}
                onChange={() => chooseTheme(each)}
              />
              {THEME_NAMES[each]}
            </label>
          ))}
        </fieldset>
        <ConnectionBadge />
      </div>
    </Dialog>
  );
}

function MoreItem({
  icon,
  onPress,
  children,
}: {
  readonly icon: ReactNode;
  readonly onPress: () => void;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <li>
      <button
        type="button"
        onClick={onPress}
        className="flex min-h-11 w-full items-center gap-3 rounded-md px-2 text-left hover:bg-hover"
      >
        <span aria-hidden="true" className="text-muted">
          {icon}
        </span>
        {children}
      </button>
    </li>
  );
}
