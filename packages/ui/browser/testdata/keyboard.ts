import assert from "node:assert/strict";
import { until } from "@ledge/testkit";
import type { Page } from "playwright-core";

/** What has the focus: its tag and name, and what is wrong with how it shows that. */
interface Focus {
  readonly text: string;
  readonly problem: string;
}

/** Returns what has the focus. It runs in the page. */
function focusNow(): Focus {
  const at = document.activeElement;
  if (!(at instanceof HTMLElement) || at === document.body) return { text: "", problem: "" };
  const labels =
    at instanceof HTMLInputElement || at instanceof HTMLSelectElement || at instanceof HTMLTextAreaElement
      ? [...(at.labels ?? [])].map(({ textContent }) => textContent).join(" ")
      : "";
  const name = at.getAttribute("aria-label") ?? (labels || at.textContent);
  const text = `${at.tagName} ${name.replaceAll(/\s+/g, " ").trim()}`.slice(0, 200);
  // A screen that was just opened shows the focus at its heading.
  const shown = at.id === "content" ? at.querySelector("h1") : at;
  if (shown === null) return { text, problem: "" };
  const { outlineStyle, outlineWidth } = getComputedStyle(shown);
  if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) return { text, problem: "has no outline" };
  const { left, right, top, bottom } = shown.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2];
  const over = document.elementFromPoint(x, y);
  const isSeen = over !== null && (shown.contains(over) || over.contains(shown));
  return { text, problem: isSeen ? "" : `is under ${over?.outerHTML.slice(0, 80) ?? "nothing"}` };
}

/** Whether what has the focus does what it is for: a button does nothing while the page is not live. It runs in the page. */
function isOfUse(): boolean {
  return document.activeElement?.getAttribute("aria-disabled") !== "true";
}

/** A reader who has no pointer: each step is a key, and the focus is seen at each. */
export interface Keyboard {
  /** Goes to the next thing whose tag and name match. @param key `Shift+Tab` for backwards */
  reach(text: RegExp, key?: string): Promise<void>;
  /** Goes there, and presses a key. */
  press(text: RegExp, key?: string, way?: string): Promise<void>;
  /** Goes to a field, and writes in place of what it holds. */
  fill(text: RegExp, value: string): Promise<void>;
  /** Waits until something that was pressed has moved the focus, and fails if it is lost. */
  isAt(text: RegExp): Promise<void>;
}

const most = 250;

export function keyboardOf(page: Page): Keyboard {
  const now = async (): Promise<string> => {
    const { text, problem } = await page.evaluate(focusNow);
    assert.equal(problem, "", `the focus at ${text} ${problem}`);
    return text;
  };
  const reach = async (wanted: RegExp, key = "Tab"): Promise<void> => {
    const seen: string[] = [];
    while (seen.length < most) {
      const text = await now();
      if (wanted.test(text)) return;
      seen.push(text);
      await page.keyboard.press(key);
    }
    assert.fail(`${key} does not lead to ${wanted}, but to ${[...new Set(seen)].join(", ")}`);
  };
  const press: Keyboard["press"] = async (text, key = "Enter", way = "Tab") => {
    await reach(text, way);
    await page.waitForFunction(isOfUse);
    await page.keyboard.press(key);
  };
  return {
    reach,
    press,
    async fill(text, value) {
      await reach(text);
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(value);
    },
    async isAt(text) {
      await until(`the focus is at ${text}`, async () => text.test(await now()));
    },
  };
}
