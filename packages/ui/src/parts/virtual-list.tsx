import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { windowOf } from "./window.ts";

/** A list of rows of one height, of which only those in sight are in the document. It scrolls with the page. */
export function VirtualList(props: {
  readonly label: string;
  readonly ids: readonly string[];
  /** Of a row, in px. */
  readonly height: number;
  readonly row: (id: string) => ComponentChildren;
}): JSX.Element {
  const { label, ids, height, row } = props;
  const list = useRef<HTMLUListElement>(null);
  const slots = useRef(0);
  const view = useSignal({ top: 0, height: 0 });
  useEffect(() => {
    const look = (): void => {
      const top = -(list.current?.getBoundingClientRect().top ?? 0);
      view.value = { top, height: innerHeight };
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, []);
  const { from, to } = windowOf(ids.length, height, view.value);
  // A row that leaves the sight is the next one that comes into it: that is cheaper than a new one.
  slots.current = Math.max(slots.current, to - from);
  return (
    <ul class="virtual" ref={list} aria-label={label} style={{ height: `${ids.length * height}px` }}>
      {ids.slice(from, to).map((id, index) => (
        <li
          key={(from + index) % slots.current}
          aria-setsize={ids.length}
          aria-posinset={from + index + 1}
          style={{ height: `${height}px`, transform: `translateY(${(from + index) * height}px)` }}
        >
          {row(id)}
        </li>
      ))}
    </ul>
  );
}
