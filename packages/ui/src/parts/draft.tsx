import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { momentOf } from "../format.ts";
import { pastTime } from "../store/clock.ts";
import { type KeptDraft, standingOf } from "../store/draft.ts";
import { keepDraft, keptDraft } from "../store/drafts.ts";
import { mayKeepHome } from "../store/home.ts";
import { notify } from "../store/notices.ts";
import { t } from "../texts/texts.ts";

/** What a form says of what it has kept. */
export interface Drafting {
  /** What was typed at an earlier visit. */
  readonly found: { readonly at: number; readonly isShown: boolean } | null;
  /** Whether the browser has kept what the form holds. */
  readonly isKept: boolean;
  /** Shows what was typed in place of the saved object. */
  readonly take: () => void;
  readonly discard: () => void;
  /** The form is saved. */
  readonly done: () => void;
}

/** Says that a draft is discarded, with a way back. */
function offerBack<D>(form: string, kept: KeptDraft<D>, draft: Signal<D>): void {
  const undo = async (): Promise<void> => {
    if (!mayKeepHome()) return;
    await keepDraft(form, kept);
    draft.value = kept.value;
  };
  notify(t("draft.discarded"), { undo });
}

/**
 * Keeps what a form holds until it is saved or discarded, and shows it again at the next visit. Where the object has
 * changed meanwhile, somebody has to choose.
 * @param form as `keptDraft` takes it @param start what a form of the saved object begins with
 */
export function useDraft<D>(
  form: string,
  start: D,
  textOf: (draft: D) => string,
  draft: Signal<D>,
): Drafting {
  const found = useSignal<{ readonly of: KeptDraft<D>; readonly isShown: boolean } | null>(null);
  const isKept = useSignal(false);
  const saved = useRef(start);
  saved.current = start;
  /** What the edits began with; null while there are none. */
  const base = useRef<string | null>(null);
  const savedText = (): string => textOf(saved.current);
  const show = (of: KeptDraft<D>, since: string): void => {
    base.current = since;
    found.value = { of, isShown: true };
    draft.value = of.value;
  };
  const done = (): void => {
    base.current = null;
    found.value = null;
    isKept.value = false;
    void keepDraft(form, undefined);
  };
  const note = (value: D): void => {
    isKept.value = false;
    if (pastTime.peek() !== null || !mayKeepHome()) return;
    if (textOf(value) === savedText()) return done();
    base.current ??= savedText();
    const kept = { value, base: base.current, at: Date.now() };
    const isStill = (): boolean => base.current !== null && draft.peek() === value;
    void keepDraft(form, kept).then((isDone) => (isKept.value = isDone && isStill()));
  };
  useEffect(() => {
    let hasLeft = false;
    const open = async (): Promise<void> => {
      const kept = await keptDraft<D>(form);
      if (hasLeft || kept === undefined || pastTime.peek() !== null) return;
      if (textOf(kept.value) === savedText()) return done();
      const standing = standingOf(kept, savedText(), Date.now());
      if (standing === "over") return done();
      // Whoever types already has begun anew.
      if (textOf(draft.peek()) !== savedText()) return;
      if (standing === "fits") show(kept, kept.base);
      else found.value = { of: kept, isShown: false };
    };
    void open();
    let isFirst = true;
    const stop = draft.subscribe((value) => {
      if (!isFirst) note(value);
      isFirst = false;
    });
    return () => {
      hasLeft = true;
      stop();
    };
  }, []);
  const { value: seen } = found;
  return {
    found: seen && { at: seen.of.at, isShown: seen.isShown },
    isKept: isKept.value,
    take: () => seen && show(seen.of, savedText()),
    discard: () => {
      const was = seen?.isShown === false ? seen.of.value : draft.peek();
      draft.value = saved.current;
      done();
      offerBack(form, { value: was, base: savedText(), at: Date.now() }, draft);
    },
    done,
  };
}

/** Says above a form what was typed into it and not saved, and lets somebody choose. */
export function DraftBar({ of }: { readonly of: Drafting }): JSX.Element {
  const { found, take, discard } = of;
  return (
    <div role="status">
      {found !== null && (
        <div class="card level-warn">
          <p>{t(found.isShown ? "draft.back" : "draft.overtaken", { time: momentOf(found.at) })}</p>
          <div class="row">
            {!found.isShown && (
              <button type="button" class="button" onClick={take}>
                {t("draft.take")}
              </button>
            )}
            <button type="button" class="button" onClick={discard}>
              {t("draft.discard")}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Says below a form that it is not saved, and not lost. */
export function DraftLine({ of }: { readonly of: Drafting }): JSX.Element | null {
  return of.isKept ? <p class="muted">{t("draft.kept")}</p> : null;
}
