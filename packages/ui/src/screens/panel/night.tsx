import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dateOf, shortClockOf } from "../../format.ts";
import { now } from "../../store/clock.ts";
import { t } from "../../texts/texts.ts";

/** After which time without a touch or key a panel dims. */
const restMs = 60_000;

/**
 * The clock in the dark over a panel that nobody uses. The touch that ends it does nothing else: as a modal dialog it
 * keeps touches and keys from what lies below.
 * @param wakes the panel wakes whenever this grows
 */
export function Night({ wakes }: { readonly wakes: number }): JSX.Element | null {
  const isDim = useSignal(false);
  const before = useRef(wakes);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const touch = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => (isDim.value = true), restMs);
  };
  const wake = (): void => {
    isDim.value = false;
    touch();
  };
  useEffect(() => {
    touch();
    addEventListener("pointerdown", touch);
    addEventListener("keydown", touch);
    return () => {
      clearTimeout(timer.current);
      removeEventListener("pointerdown", touch);
      removeEventListener("keydown", touch);
    };
  }, []);
  useEffect(() => {
    if (wakes > before.current) wake();
    before.current = wakes;
  }, [wakes]);
  return isDim.value ? <Dark wake={wake} /> : null;
}

function Dark({ wake }: { readonly wake: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  const at = now.value;
  // The event of a dialog that has gone comes late, and must not end the next one.
  const onClose = (): void => {
    if (dialog.current !== null) wake();
  };
  const onKey = (event: KeyboardEvent): void => {
    event.preventDefault();
    wake();
  };
  return (
    <dialog class="night" ref={dialog} aria-label={t("panel.rests")} onClose={onClose}>
      {/* A click, not the touch itself: what lies below must not get the rest of the touch. */}
      <button type="button" onClick={wake} onKeyDown={onKey}>
        <time dateTime={new Date(at).toISOString()}>{shortClockOf(at)}</time>
        <span>{dateOf(at)}</span>
        <span>{t("panel.wake")}</span>
      </button>
    </dialog>
  );
}
