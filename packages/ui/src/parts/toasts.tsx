import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dismiss, type Notice, notices } from "../store/notices.ts";
import { t } from "../texts/texts.ts";
import { isByKeyboard } from "./keyboard.ts";

/** As it stands on keyboards of all languages. */
const escapeKey = "Esc";
const shownMs = 8000;
/** A keyboard takes longer to get there. */
const shownByKeyboardMs = 30_000;

function Toast({ notice }: { readonly notice: Notice }): JSX.Element {
  const { id, text, isError, undo } = notice;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wait = (): void => clearTimeout(timer.current);
  const goOn = (): void => {
    wait();
    timer.current = setTimeout(() => dismiss(id), isByKeyboard ? shownByKeyboardMs : shownMs);
  };
  useEffect(() => {
    goOn();
    return wait;
  }, [id]);
  const back = (): void => {
    dismiss(id);
    void undo?.();
  };
  return (
    <div class={isError ? "toast toast-error" : "toast"} onFocusIn={wait} onFocusOut={goOn}>
      <span>{text}</span>
      {undo && (
        <button type="button" class="button" aria-keyshortcuts="Escape" onClick={back}>
          {t("undo")}
          {isByKeyboard && <kbd aria-hidden="true">{escapeKey}</kbd>}
        </button>
      )}
      <button type="button" class="button quiet" onClick={() => dismiss(id)}>
        {t("close")}
      </button>
    </div>
  );
}

/** Whether Escape closes or empties something else. */
function isTaken({ defaultPrevented, target }: KeyboardEvent): boolean {
  const field = target instanceof HTMLInputElement && target.type === "search" ? target.value : "";
  return defaultPrevented || field !== "" || document.querySelector("dialog[open]") !== null;
}

/** What was done lately, read aloud as it comes. Escape leads to the newest message, and from there back. */
export function Toasts(): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const toMessages = (event: KeyboardEvent): void => {
      const newest = notices.peek().at(-1);
      if (event.key !== "Escape" || newest === undefined || isTaken(event)) return;
      if (list.current?.contains(document.activeElement)) dismiss(newest.id);
      else list.current?.querySelector<HTMLElement>(".toast:last-child button")?.focus();
    };
    addEventListener("keydown", toMessages);
    return () => removeEventListener("keydown", toMessages);
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite" ref={list}>
      {notices.value.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  );
}
