// Keeps the keyboard's place: nobody who removes a row or ends a step has to begin at the top of the page again.

import { isByKeyboard } from "../parts/keyboard.ts";

const able = "a[href], button, input, select, textarea, summary, [tabindex='0']";

/** Where the focus was. */
interface Place {
  readonly element: HTMLElement;
  /** The heading of the screen. */
  readonly heading: Element | null;
  /** What it lay in, from the inside out, and at which child of that. */
  readonly within: readonly (readonly [parent: Element, index: number])[];
}

function headingNow(): HTMLElement | null {
  return document.querySelector<HTMLElement>("#content h1");
}

function placeOf(element: HTMLElement): Place {
  const within: [Element, number][] = [];
  for (let at: Element = element; at.parentElement !== null; at = at.parentElement)
    within.push([at.parentElement, [...at.parentElement.children].indexOf(at)]);
  return { element, heading: headingNow(), within };
}

function isAble(element: Element): element is HTMLElement {
  return element.matches(able) && !element.matches(":disabled") && element.getClientRects().length > 0;
}

function firstIn(element: Element): HTMLElement | undefined {
  return [element, ...element.querySelectorAll(able)].find(isAble);
}

/** Returns what took the place of what is gone, or stands next to it: what follows before what precedes. */
function nearest({ heading, within }: Place): HTMLElement | undefined {
  // Another screen or step begins at its heading.
  if (heading?.isConnected !== true) return undefined;
  for (const [parent, index] of within) {
    if (!parent.isConnected || parent.closest("#content") === null) continue;
    const children = [...parent.children];
    for (const child of [...children.slice(index), ...children.slice(0, index).toReversed()]) {
      const found = firstIn(child);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Scrolls what has the focus out from under a message, where it comes when a page grows above it. */
function uncover(): void {
  const at = document.activeElement;
  if (!isByKeyboard || at === null || at === document.body) return;
  for (const message of document.querySelectorAll(".toast")) {
    if (message.contains(at)) return;
    const [over, under] = [message.getBoundingClientRect(), at.getBoundingClientRect()];
    if (over.top < under.bottom && under.top < over.bottom) return at.scrollIntoView({ block: "nearest" });
  }
}

/**
 * Gives the focus to what takes the place of the element that had it, whenever that element goes away, and keeps it in
 * sight of whoever uses the keyboard.
 */
export function keepFocus(): void {
  let last: Place | undefined;
  /** The place in the screen, from which somebody has gone to a message. */
  let origin: Place | undefined;
  const restore = (): void => {
    if (last === undefined || (document.activeElement ?? document.body) !== document.body) return;
    const { element } = last;
    // It has moved, or can be used again.
    if (element.isConnected) return element.focus();
    const place = origin ?? last;
    const to = place.element.isConnected ? place.element : nearest(place);
    (to ?? headingNow() ?? document.querySelector<HTMLElement>("#content"))?.focus();
  };
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    if (target.closest(".toasts") === null) origin = undefined;
    else origin ??= last;
    last = placeOf(target);
  });
  // Whoever points elsewhere leaves the place.
  document.addEventListener("pointerdown", () => (last = origin = undefined));
  const follow = (): void => {
    restore();
    uncover();
  };
  new MutationObserver(follow).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["disabled"],
  });
}
