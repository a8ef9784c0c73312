// What a device has reported, moved and stretched in every way that the page knows.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { until } from "@ledge/testkit";
import type { Request } from "playwright-core";
import { assertAccessible, pressOn, type Visit } from "./visit.ts";

/** Moves and stretches the history that a page shows, of a temperature over 7 days, and has it as it was at the end. */
export async function stretchHistory(home: Visit): Promise<void> {
  const { page } = home;
  const trend = page.getByRole("region", { name: "History" });
  const drawing = page.locator(".trend svg");
  /** Which time the hub was asked for last. */
  let last = { from: 0, to: 0 };
  const note = (request: Request): void => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.endsWith("/devices/history") || !searchParams.has("to")) return;
    last = { from: Number(searchParams.get("from")), to: Number(searchParams.get("to")) };
  };
  page.on("request", note);
  /** Does something, and returns which time the hub is then asked for. */
  const askedBy = async (act: () => Promise<unknown>): Promise<typeof last> => {
    const former = last;
    await act();
    await until("the hub is asked for what is shown", async () => {
      return last !== former && (await page.locator('.trend[aria-busy="false"]').count()) === 1;
    });
    return last;
  };
  const lengthOf = ({ from, to }: typeof last): number => to - from;
  // The hub is young: what it has recorded is hardly more than a drawing shows at least.
  const widen = (): Promise<typeof last> =>
    askedBy(() => pressOn(trend.getByRole("button", { name: "Wider" })));
  for (let times = 0; times < 2; times++) await widen();
  const wider = await widen();
  assert.equal(await trend.getByRole("button", { name: "7 days", pressed: true }).count(), 0);
  const closer = await askedBy(() => trend.getByRole("button", { name: "Closer" }).click());
  assert.ok(lengthOf(closer) < lengthOf(wider), JSON.stringify([wider, closer]));
  await page.getByText(/least [\d.]+\s°C, greatest [\d.]+\s°C, mean [\d.]+\s°C$/).waitFor();
  await assertAccessible(home, "a history of less time");
  await trend.getByRole("button", { name: "Earlier" }).focus();
  const earlier = await askedBy(() => page.keyboard.press("Enter"));
  assert.ok(Math.abs(closer.to - earlier.to - lengthOf(closer) / 2) < 2, JSON.stringify([closer, earlier]));
  await drawing.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await drawing.boundingBox()) ?? assert.fail("no drawing");
  const [middle, level] = [x + width / 2, y + height / 2];
  await page.mouse.move(middle, level);
  await page.keyboard.down("Control");
  const wheeled = await askedBy(() => page.mouse.wheel(0, -200));
  await page.keyboard.up("Control");
  assert.ok(lengthOf(wheeled) < lengthOf(earlier), JSON.stringify([earlier, wheeled]));
  await page.mouse.down();
  const dragged = await askedBy(() => page.mouse.move(middle + width / 4, level));
  await page.mouse.up();
  const moved = (wheeled.to - dragged.to) / lengthOf(wheeled);
  assert.ok(Math.abs(moved - 0.25) < 0.01, JSON.stringify([wheeled, dragged]));
  const fingers = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove", apart: number): Promise<unknown> =>
    fingers.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: [-apart, apart].map((by, id) => ({ x: middle + by, y: level, id })),
    });
  await touch("touchStart", width / 10);
  const pinched = await askedBy(() => touch("touchMove", width / 5));
  await fingers.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await fingers.detach();
  assert.ok(lengthOf(pinched) < lengthOf(dragged), JSON.stringify([dragged, pinched]));
  page.off("request", note);
  await trend.getByRole("button", { name: "7 days" }).click();
  await trend.getByRole("button", { name: "7 days", pressed: true }).waitFor();
  const saved = page.waitForEvent("download");
  await trend.getByRole("button", { name: "Save as CSV" }).click();
  const [head, first] = (await readFile(await (await saved).path(), "utf8")).split("\r\n");
  assert.match(head ?? "", /^From,To,(?:Temperature \(°C\)|"Temperature \(°C\), least",.*)$/);
  assert.match(first ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d,.+,\d+(?:\.\d+)?$/);
}
