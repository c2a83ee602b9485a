import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode, RefObject } from "react";
import { classNames } from "./class-names.ts";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  /** At the end of the line, such as a shortcut. */
  readonly hint?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
}

/** Items, with separators between groups. */
export type MenuItems = readonly (MenuItem | "line")[];

export function MenuList({
  items,
  labelledBy,
  trigger,
  onClose,
}: {
  readonly items: MenuItems;
  readonly labelledBy: string;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(isOpen) => isOpen || onClose()}>
      {/* The anchor of the menu; the real button existed before this code was loaded. */}
      <DropdownMenu.Trigger asChild>
        <span aria-hidden="true" className="pointer-events-none absolute inset-0" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={trigger.current?.closest("main, nav, [role=dialog]") ?? null}>
        <DropdownMenu.Content
          aria-labelledby={labelledBy}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            trigger.current?.focus();
          }}
          onInteractOutside={(event) => {
            const { target } = event;
            if (target instanceof Node && trigger.current?.contains(target) === true)
              event.preventDefault();
          }}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-lg border border-line bg-surface p-1 text-sm text-fg shadow-xl"
        >
          {items.map((item, index) =>
            item === "line" ? (
              <DropdownMenu.Separator key={`line-${index}`} className="my-1 h-px bg-line" />
            ) : (
              <Item key={item.label} item={item} />
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Item({ item }: { readonly item: MenuItem }): ReactElement {
  const { label, icon, hint, danger = false, disabled = false, onSelect } = item;
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={classNames(
        "flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 outline-none pointer-coarse:min-h-11",
        "data-highlighted:bg-hover data-disabled:pointer-events-none data-disabled:opacity-50",
        danger && "text-danger",
      )}
    >
      <span className="flex size-4 shrink-0 items-center justify-center" aria-hidden="true">
        {icon}
      </span>
      <span className="flex-1">{label}</span>
      {hint !== undefined && <span className="pl-4 text-xs text-muted">{hint}</span>}
    </DropdownMenu.Item>
  );
}
