export type ComposerKey = Pick<
  KeyboardEvent,
  "key" | "shiftKey" | "metaKey" | "ctrlKey" | "altKey" | "isComposing" | "keyCode"
>;

/** The action of a key in the message box. `type` leaves it to the box. */
export type ComposerAction = "type" | "send" | "interrupt" | "recall" | "leave" | "next-mode";

export function actionOfKey(
  press: ComposerKey,
  { text }: { readonly text: string },
): ComposerAction {
  if (isComposing(press) || press.altKey) return "type";
  switch (press.key) {
    case "Enter":
      if (press.metaKey || press.ctrlKey) return "interrupt";
      return press.shiftKey ? "type" : "send";
    case "ArrowUp":
      return text === "" && !press.shiftKey && !press.metaKey && !press.ctrlKey ? "recall" : "type";
    case "Escape":
      return "leave";
    case "Tab":
      return press.shiftKey && !press.metaKey && !press.ctrlKey ? "next-mode" : "type";
    default:
      return "type";
  }
}

/** An Enter that ends an IME composition sends nothing. Safari reports it only with key code 229. */
export function isComposing(press: Pick<ComposerKey, "isComposing" | "keyCode">): boolean {
  return press.isComposing || press.keyCode === 229;
}
