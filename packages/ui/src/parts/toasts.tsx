import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { dismiss, type Notice, notices } from "../store/notices.ts";
import { t } from "../texts/texts.ts";

const shownMs = 8000;

function Toast({ notice }: { readonly notice: Notice }): JSX.Element {
  const { id, text, isError, undo } = notice;
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id]);
  const back = (): void => {
    dismiss(id);
    void undo?.();
  };
  return (
    <div class={isError ? "toast toast-error" : "toast"}>
      <span>{text}</span>
      {undo && (
        <button type="button" class="button" onClick={back}>
          {t("undo")}
        </button>
      )}
      <button type="button" class="button quiet" onClick={() => dismiss(id)}>
        {t("close")}
      </button>
    </div>
  );
}

/** What was done lately, read aloud as it comes. */
export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  );
}
