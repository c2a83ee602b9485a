import { type ReactElement, useId, useRef, useState } from "react";
import { IconButton, type IconButtonProps } from "./button.tsx";
import { loaded } from "./loaded.tsx";
import type { MenuItems } from "./menu-list.tsx";

const load = () => import("./menu-list.tsx");
const MenuList = loaded(() => load().then((m) => m.MenuList));

interface MenuProps extends Pick<
  IconButtonProps,
  "label" | "size" | "disabled" | "className" | "children"
> {
  readonly items: MenuItems;
}

/** A button with a menu, which is loaded when the button is first hovered or focused. */
export function Menu({ items, ...button }: MenuProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <span className="relative inline-flex">
      <IconButton
        {...button}
        id={id}
        ref={trigger}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setOpen((was) => !was)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      />
      {isOpen && (
        <MenuList items={items} labelledBy={id} trigger={trigger} onClose={() => setOpen(false)} />
      )}
    </span>
  );
}
