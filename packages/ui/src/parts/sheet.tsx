import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../texts/texts.ts";

/** Whether an event is beside a dialog, and not in it. */
function isBeside(dialog: HTMLDialogElement, { target, clientX, clientY }: MouseEvent): boolean {
  if (target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/** Closes a dialog when somebody presses beside it; a press that begins in it, as on a slider, may end beside it. */
function closeFromBeside(dialog: HTMLDialogElement): void {
  let isPressed = false;
  dialog.addEventListener("pointerdown", (event) => (isPressed = isBeside(dialog, event)));
  dialog.addEventListener("click", (event) => {
    if (isPressed && isBeside(dialog, event)) dialog.close();
  });
}

/** A dialog over the page: at the bottom of a phone, in the middle elsewhere. Escape and a press beside it close it. */
export function Sheet(props: { title: string; close: () => void; children: ComponentChildren }): JSX.Element {
  const { title, close, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (current !== null) closeFromBeside(current);
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog class="sheet" ref={dialog} aria-labelledby="sheet-title" onClose={close}>
      <div class="row">
        <h2 id="sheet-title">{title}</h2>
        <button type="button" class="button quiet" onClick={() => dialog.current?.close()}>
          {t("close")}
        </button>
      </div>
      {children}
    </dialog>
  );
}
