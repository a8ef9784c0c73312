import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Failure } from "../api/call.ts";
import { reasonOf } from "../store/commands.ts";
import { t } from "../texts/texts.ts";
import type { Asked } from "./answer.ts";

const patienceMs = 200;

/** The face of a screen that waits: nothing at first, so that what is quick does not flicker. */
export function Loading(): JSX.Element {
  const isSlow = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isSlow.value = true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="face" role="status">
      {isSlow.value && (
        <>
          <div class="skeleton" />
          <div class="skeleton" />
          <p class="muted">{t("state.loading")}</p>
        </>
      )}
    </div>
  );
}

/** The face of a screen that has nothing to show. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="face">
      <p class="face-title">{title}</p>
      {children}
    </div>
  );
}

/** The face of a screen that the hub refused, with the hub's reason. */
export function Failed({ failure, again }: { failure: Failure; again: () => void }): JSX.Element {
  return (
    <div class="face" role="alert">
      <p class="face-title">{t("error.title")}</p>
      <p>{reasonOf(failure)}</p>
      <button type="button" class="button" onClick={again}>
        {t("state.retry")}
      </button>
    </div>
  );
}

/** The face of a question to the hub: that it waits, why it failed, or what the answer shows. */
export function AnswerFace<T>(props: {
  readonly answer: Asked<T>;
  readonly again: () => void;
  readonly show: (value: T) => ComponentChildren;
}): JSX.Element {
  const { answer, again, show } = props;
  switch (answer.state) {
    case "loading":
      return <Loading />;
    case "failed":
      return <Failed failure={answer.failure} again={again} />;
    case "done":
      return <>{show(answer.value)}</>;
  }
}
