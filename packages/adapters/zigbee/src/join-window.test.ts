import assert from "node:assert/strict";
import { test } from "node:test";
import { AdapterError } from "@ledge/port";
import { SimulatedClock } from "@ledge/testkit";
import { JoinWindow } from "./join-window.ts";
import { Radio } from "./radio.ts";
import { controllerOf } from "./test-controller.ts";

interface Stage {
  /** How many more times the stick refuses. */
  refusals: number;
  readonly clock: SimulatedClock;
  readonly radio: Radio;
  readonly window: JoinWindow;
  /** `<seconds> at <second>`, in order. */
  readonly permitted: string[];
}

function stage(): Stage {
  const clock = new SimulatedClock();
  const radio = new Radio();
  const permitted: string[] = [];
  const permitJoin = async (seconds: number): Promise<void> => {
    if (made.refusals-- > 0) throw new Error("no answer");
    permitted.push(`${seconds} at ${Math.round(clock.monotonic() / 1000)}`);
  };
  radio.opened(controllerOf({ permitJoin }));
  const made: Stage = { refusals: 0, clock, radio, window: new JoinWindow(clock, radio), permitted };
  return made;
}

test("renews the network's permit only now and then when a window is extended repeatedly", async () => {
  const { clock, window, permitted } = stage();
  for (let round = 0; round < 20; round++) {
    await window.open(11_000);
    await clock.pass(3000);
  }
  assert.ok(window.isOpen);
  assert.ok(permitted.length < 10, permitted.join());
  await clock.pass(11_000);
  assert.ok(!window.isOpen);
  assert.match(permitted.at(-1) ?? "", /^0 at/);
});

test("keeps a long window open beyond the network's limit and closes it in time", async () => {
  const { clock, window, permitted } = stage();
  await window.open(600_000);
  await clock.pass(599_000);
  assert.ok(window.isOpen);
  await clock.pass(2000);
  assert.ok(!window.isOpen);
  assert.deepEqual(permitted, ["254 at 0", "254 at 234", "254 at 468", "0 at 600"]);
});

test("closes with the radio and does not open without one", async () => {
  const { clock, radio, window, permitted } = stage();
  await window.open(60_000);
  radio.closed(new AdapterError("unreachable", "gone"));
  window.forget();
  await clock.pass(60_000);
  assert.deepEqual([window.isOpen, permitted.length], [false, 1]);
  await assert.rejects(window.open(60_000), AdapterError);
  assert.ok(!window.isOpen);
});

test("retries closing a network that did not hear it, unless it is opened meanwhile", async () => {
  const home = stage();
  const { clock, window, permitted } = home;
  await window.open(60_000);
  home.refusals = 2;
  await window.close();
  assert.deepEqual(permitted, ["80 at 0"]);
  await clock.pass(10_000);
  assert.deepEqual(permitted, ["80 at 0", "0 at 10"]);
  await window.open(60_000);
  home.refusals = 1;
  await window.close();
  await window.open(60_000);
  await clock.pass(20_000);
  assert.deepEqual(permitted.slice(2), ["80 at 10", "80 at 10"]);
});

test("counts as open while the stick is asked, because devices join before it has answered", async () => {
  const clock = new SimulatedClock();
  const radio = new Radio();
  const asked = Promise.withResolvers<void>();
  const window = new JoinWindow(clock, radio);
  radio.opened(controllerOf({ permitJoin: () => asked.promise }));
  const opened = window.open(11_000);
  assert.ok(window.isOpen);
  asked.reject(new Error("no answer"));
  await assert.rejects(opened);
  assert.ok(!window.isOpen);
});
