// What the page itself runs, as text: only packages/ui is compiled for a browser.

/** Resolves with the time that a change of the page takes after an act (ms). */
function timed(act: string, isDone: string): string {
  return `(async () => {
    const began = performance.now();
    ${act};
    while (!(${isDone})) await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - began;
  })()`;
}

const knob = `document.querySelector('[role="switch"]')`;

export const scripts = {
  opening: `({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
    usable: performance.now(),
  })`,
  /** Presses the switch of a device, until the page shows the report that confirms it. */
  command: timed(
    `globalThis.before = ${knob}.getAttribute("aria-checked"); ${knob}.click()`,
    `${knob}.getAttribute("aria-checked") !== before && document.querySelector(".pending") === null`,
  ),
  /** Asks why the first value is as it is, until the chain of causes is there. */
  why: timed(
    `document.querySelector(".values button[aria-label]").click()`,
    `document.querySelector(".chain li") !== null`,
  ),
  /** Drags the slider back and forth for a time (ms); frames a second. */
  drag: (ms: number): string => `(async () => {
    const slider = document.querySelector('input[type="range"]');
    slider.step = "1";
    const [least, most] = [Number(slider.min), Number(slider.max)];
    const began = performance.now();
    let frames = 0;
    while (performance.now() - began < ${ms}) {
      const part = Math.abs(Math.sin((performance.now() - began) / 500));
      slider.value = String(most - (most - least) * part);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      frames++;
    }
    return frames / ((performance.now() - began) / 1000);
  })()`,
} as const;
