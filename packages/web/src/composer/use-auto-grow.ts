import { useLayoutEffect, type RefObject } from "react";

/** As high as its text, up to what its style allows. */
export function useAutoGrow(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || CSS.supports("field-sizing", "content")) return;
    element.style.setProperty("height", "auto");
    element.style.setProperty("height", `${element.scrollHeight + 2}px`);
  }, [box, text]);
}
