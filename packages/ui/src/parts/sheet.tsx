import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../texts/texts.ts";

/** A dialog over the page: at the bottom of a phone, in the middle elsewhere. Escape closes it. */
export function Sheet(props: { title: string; close: () => void; children: ComponentChildren }): JSX.Element {
  const { title, close, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
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
