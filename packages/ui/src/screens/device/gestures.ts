import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { panned, pinched, type Span, zoomed } from "./zoom.ts";

/** By how much a step of the wheel zooms and moves. */
const zoomPerPixel = 0.002;
const partPerPixel = 0.001;

/** What somebody does to a drawing of time. */
interface Gestures {
  /** What the drawing shows now. */
  readonly span: Span;
  /** The latest moment that can be shown (ms). */
  readonly latest: number;
  readonly show: (span: Span) => void;
}

/** Listens to fingers, mouse and wheel. Returns what ends that. @param now returns the gestures of the last rendering */
function listen(element: SVGSVGElement, now: () => Gestures): () => void {
  const left = new AbortController();
  const { signal } = left;
  /** Where the pointers that are down are, as parts of the width. */
  const down = new Map<number, number>();
  const partOf = ({ clientX }: MouseEvent): number => {
    const { left: start, width } = element.getBoundingClientRect();
    return width === 0 ? 0 : (clientX - start) / width;
  };
  const press = (event: PointerEvent): void => {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, partOf(event));
  };
  const move = (event: PointerEvent): void => {
    const { pointerId } = event;
    const before = down.get(pointerId);
    if (before === undefined) return;
    const after = partOf(event);
    const [other] = [...down].flatMap(([id, part]) => (id === pointerId ? [] : [part]));
    down.set(pointerId, after);
    const { span, latest, show } = now();
    if (other === undefined) show(panned(span, before - after, latest));
    else show(pinched(span, [before, other], [after, other], latest));
  };
  const release = ({ pointerId }: PointerEvent): void => void down.delete(pointerId);
  const turn = (event: WheelEvent): void => {
    const { span, latest, show } = now();
    const { deltaX, deltaY } = event;
    if (event.ctrlKey || event.metaKey)
      show(zoomed(span, Math.exp(deltaY * zoomPerPixel), partOf(event), latest));
    // Some browsers turn the wheel sideways by themselves.
    else if (event.shiftKey) show(panned(span, (deltaX || deltaY) * partPerPixel, latest));
    else return;
    event.preventDefault();
  };
  element.addEventListener("pointerdown", press, { signal });
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", release, { signal });
  element.addEventListener("pointercancel", release, { signal });
  element.addEventListener("wheel", turn, { signal, passive: false });
  return () => left.abort();
}

/**
 * Has a drawing of time follow a drag, two fingers, the wheel with Ctrl, which zooms, and with Shift, which moves. The wheel
 * alone scrolls the page.
 * @returns where the drawing is put
 */
export function useGestures(gestures: Gestures): RefObject<SVGSVGElement | null> {
  const drawing = useRef<SVGSVGElement>(null);
  const now = useRef(gestures);
  now.current = gestures;
  useEffect(() => (drawing.current === null ? undefined : listen(drawing.current, () => now.current)), []);
  return drawing;
}
