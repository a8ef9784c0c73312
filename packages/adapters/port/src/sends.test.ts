import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import type { FromAdapter } from "./messages.ts";
import { SendsUnderWay } from "./sends.ts";

test("a command that begins while another is handed over has a signal of its own", () => {
  const posted: FromAdapter[] = [];
  const clock = new SimulatedClock();
  const sends = new SendsUnderWay(
    clock,
    (message) => posted.push(message),
    () => {},
  );
  const signals: AbortSignal[] = [];
  const hold = (signal: AbortSignal): Promise<never> => {
    signals.push(signal);
    return new Promise(() => {});
  };
  sends.begin({ id: 1, timeoutMs: 1000 }, (signal) => {
    sends.begin({ id: 2, timeoutMs: 1000 }, hold);
    return hold(signal);
  });
  sends.begin({ id: 3, timeoutMs: 1000 }, hold);
  sends.cancel(1);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, true, false],
  );
});
