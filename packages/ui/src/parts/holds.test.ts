import assert from "node:assert/strict";
import { test } from "node:test";
import { clickMs, followHolds, holdMs, strayPx } from "./holds.ts";

/** A page with one tile, on which somebody acts. */
class Hand {
  readonly page = new EventTarget();
  readonly opened: string[] = [];
  readonly stop: () => void;
  isOnTile = true;
  #now = 0;
  #timers: { readonly at: number; readonly call: () => void }[] = [];

  constructor() {
    this.stop = followHolds(this.page, {
      find: () => (this.isOnTile ? "tile" : undefined),
      open: (found) => void this.opened.push(found),
      after: (ms, call) => {
        const timer = { at: this.#now + ms, call };
        this.#timers.push(timer);
        return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
      },
    });
  }

  /** @returns whether the browser goes on to do what it does by itself */
  does(type: string, more: object = {}): boolean {
    const usual = { pointerType: "touch", isPrimary: true, clientX: 100, clientY: 100 };
    return this.page.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), usual, more));
  }

  waits(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { call } of due) call();
  }
}

test("opens what a finger holds, and swallows the click that follows, which comes once", () => {
  const hand = new Hand();
  hand.does("pointerdown");
  hand.waits(holdMs - 1);
  assert.deepEqual(hand.opened, []);
  hand.waits(1);
  assert.deepEqual(hand.opened, ["tile"]);
  hand.does("pointerup");
  assert.equal(hand.does("click"), false);
  assert.equal(hand.does("click"), true);
});

test("leaves a later click alone when a hold ends without one", () => {
  for (const next of ["wait", "pointerdown", "keydown"]) {
    const hand = new Hand();
    hand.does("pointerdown");
    hand.waits(holdMs);
    hand.does("pointerup");
    if (next === "wait") hand.waits(clickMs);
    else hand.does(next, { pointerType: "mouse", key: "Enter" });
    assert.equal(hand.does("click"), true, next);
  }
});

const kept: readonly [what: string, act: (hand: Hand) => void][] = [
  ["a tap", (hand) => hand.does("pointerup")],
  ["a finger that scrolls", (hand) => hand.does("pointercancel")],
  ["a finger that strays", (hand) => hand.does("pointermove", { clientX: 101 + strayPx })],
  ["a second finger", (hand) => hand.does("pointerdown", { isPrimary: false })],
  ["a page that is left", (hand) => hand.stop()],
];
for (const [what, act] of kept) {
  test(`opens nothing for ${what}`, () => {
    const hand = new Hand();
    hand.does("pointerdown");
    hand.waits(holdMs - 1);
    act(hand);
    hand.waits(holdMs);
    assert.deepEqual(hand.opened, []);
    assert.equal(hand.does("click"), true);
  });
}

test("opens what a finger holds that is not still", () => {
  const hand = new Hand();
  hand.does("pointerdown");
  hand.does("pointermove", { clientY: 100 + strayPx });
  hand.waits(holdMs);
  assert.deepEqual(hand.opened, ["tile"]);
});

test("opens nothing for a mouse that is held, or beside a tile", () => {
  const hand = new Hand();
  hand.does("pointerdown", { pointerType: "mouse" });
  hand.waits(holdMs);
  hand.isOnTile = false;
  hand.does("pointerdown");
  hand.waits(holdMs);
  assert.equal(hand.does("contextmenu"), true);
  assert.equal(hand.does("keydown", { key: "ContextMenu" }), true);
  assert.deepEqual(hand.opened, []);
});

test("opens by the right button in place of the browser's menu, and leaves clicks alone", () => {
  const hand = new Hand();
  hand.does("pointerdown", { pointerType: "mouse", button: 2 });
  assert.equal(hand.does("contextmenu"), false);
  assert.deepEqual(hand.opened, ["tile"]);
  assert.equal(hand.does("click"), true);
});

test("opens once when the browser takes a hold for its menu, before or after", () => {
  for (const isFirst of [true, false]) {
    const hand = new Hand();
    hand.does("pointerdown");
    if (!isFirst) hand.waits(holdMs);
    assert.equal(hand.does("contextmenu"), false);
    hand.waits(holdMs);
    assert.deepEqual(hand.opened, ["tile"]);
    // The sheet is under the finger now.
    hand.isOnTile = false;
    assert.equal(hand.does("contextmenu"), false);
    assert.equal(hand.does("click"), false);
  }
});

const keys: readonly [name: string, more: object, opens: boolean][] = [
  ["the context-menu key", { key: "ContextMenu" }, true],
  ["Shift+F10", { key: "F10", shiftKey: true }, true],
  ["F10", { key: "F10", shiftKey: false }, false],
  ["Enter", { key: "Enter" }, false],
];
for (const [name, more, opens] of keys) {
  test(`${opens ? "opens" : "does not open"} by ${name}`, () => {
    const hand = new Hand();
    assert.equal(hand.does("keydown", more), !opens);
    assert.deepEqual(hand.opened, opens ? ["tile"] : []);
    // Some browsers open their menu when the key is up again.
    hand.isOnTile = false;
    hand.does("keyup");
    assert.equal(hand.does("contextmenu"), !opens);
    hand.waits(clickMs);
    assert.equal(hand.does("contextmenu"), true);
  });
}
