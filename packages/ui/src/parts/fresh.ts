import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/**
 * Takes over a change of the saved object of a form, such as by Undo, unless the form holds edits.
 * @param fresh what a form of the saved object begins with; undefined while it is not saved
 * @param textOf equal for forms that stand for the same
 */
export function useFresh<Draft>(
  fresh: Draft | undefined,
  textOf: (draft: Draft) => string,
  draft: Signal<Draft>,
): void {
  const saved = fresh && textOf(fresh);
  const known = useRef(saved);
  useEffect(() => {
    if (fresh === undefined || saved === known.current) return;
    if (textOf(draft.peek()) === known.current) draft.value = fresh;
    known.current = saved;
  }, [saved]);
}
