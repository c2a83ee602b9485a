import { lazy, Suspense, useId, useRef, useState, type ReactElement, type ReactNode } from "react";
import { Button, IconButton, type ButtonProps } from "./button.tsx";
import type { MenuItems } from "./menu-list.tsx";

const load = () => import("./menu-list.tsx");
const MenuList = lazy(async () => ({ default: (await load()).MenuList }));

/** A button with a menu, which is loaded when the button is first hovered or focused. */
export function Menu({
  label,
  items,
  children,
  iconOnly = true,
  align = "end",
  ...button
}: {
  /** The accessible name of the button and the menu. */
  readonly label: string;
  readonly items: MenuItems;
  /** The content of the button. */
  readonly children: ReactNode;
  readonly iconOnly?: boolean;
  readonly align?: "start" | "end";
} & Pick<ButtonProps, "tone" | "size" | "disabled" | "className">): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();
  const shared = {
    ...button,
    id,
    ref: trigger,
    "aria-haspopup": "menu",
    "aria-expanded": isOpen,
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => setOpen((was) => !was),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      setOpen(true);
    },
  } as const;
  return (
    <span className="relative inline-flex">
      {iconOnly ? (
        <IconButton {...shared} label={label}>
          {children}
        </IconButton>
      ) : (
        <Button {...shared} aria-label={label}>
          {children}
        </Button>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <MenuList
            items={items}
            align={align}
            labelledBy={id}
            trigger={trigger}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </span>
  );
}
