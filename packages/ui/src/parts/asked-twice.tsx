import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { LiveButton } from "./live-button.tsx";

/** A button for what has no way back: it asks before it acts. */
export function AskedTwice(props: {
  readonly text: string;
  /** What happens, for whoever is asked. */
  readonly question: string;
  readonly yes: string;
  readonly no: string;
  readonly act: () => Promise<void>;
}): JSX.Element {
  const { text, question, yes, no, act } = props;
  const isAsking = useSignal(false);
  const first = useRef<HTMLDivElement>(null);
  const show = (to: boolean): void => {
    isAsking.value = to;
    // The button that was pressed has gone: the focus goes to what stands there now.
    requestAnimationFrame(() => first.current?.querySelector("button")?.focus());
  };
  return (
    <div ref={first} class="row" role="group" aria-label={text}>
      {isAsking.value ? (
        <>
          <p role="status">{question}</p>
          <LiveButton onClick={() => void act()}>{yes}</LiveButton>
          <button type="button" class="button" onClick={() => show(false)}>
            {no}
          </button>
        </>
      ) : (
        <LiveButton onClick={() => show(true)}>{text}</LiveButton>
      )}
    </div>
  );
}
