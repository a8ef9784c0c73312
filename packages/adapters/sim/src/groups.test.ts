import assert from "node:assert/strict";
import test from "node:test";
import type { AdapterErrorCode, AirGroup, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { SimulatedClock } from "@ledge/testkit";
import { SimAdapter } from "./index.ts";

const [a, b, c] = ["living/ceiling", "kitchen/ceiling", "bedroom/ceiling"] as const;
const unplugged = "bedroom/bedside";
const wired = "kitchen/heat-pump";

interface Stage {
  readonly adapter: SimAdapter;
  readonly keep: (...members: NativeId[]) => Promise<void>;
  /** Casts and returns each device's result; missing for a device that has not answered by the end. */
  readonly cast: (natives: readonly NativeId[], attributes?: object) => Promise<Record<NativeId, string>>;
  readonly stats: () => Promise<unknown>;
  readonly clock: SimulatedClock;
}

async function stage(settings: object = {}): Promise<Stage> {
  const adapter = new SimAdapter();
  const clock = new SimulatedClock();
  const nothing = (): void => {};
  const store = { get: () => undefined, put: async () => {} };
  const told = {
    folder: "/nowhere",
    announce: nothing,
    report: nothing,
    found: nothing,
    lost: nothing,
    trouble: () => {},
    log: nothing,
  };
  await adapter.start({ settings: { latencyMs: 20, ...settings }, clock, store, ...told });
  const { signal } = new AbortController();
  return {
    adapter,
    clock,
    keep: async (...members) => await adapter.groupcast.keep([{ id: "g", address: 3, members }]),
    async cast(natives, attributes = { isOn: true }) {
      const answers: Record<NativeId, string> = {};
      const command = { type: "set", attributes: { ...attributes } } as const;
      const answered = (native: NativeId, error?: AdapterError): void => {
        answers[native] = error?.code ?? "taken";
      };
      const done = adapter.groupcast.cast("g", natives, command, answered, signal);
      const code = done.then(
        () => undefined,
        (error: unknown): AdapterErrorCode => {
          assert.ok(error instanceof AdapterError);
          return error.code;
        },
      );
      await clock.pass(3000);
      const failed = await code;
      return failed === undefined ? answers : { all: failed };
    },
    async stats() {
      const status = await adapter.requests["GET_ZIGBEE_STATUS"]?.({ type: "GET_ZIGBEE_STATUS" }, signal);
      return (status as { stats: unknown }).stats;
    },
  };
}

const shown = ({ adapter }: Stage, native: NativeId, name = "isOn"): unknown =>
  adapter.world?.shown(native)[name];

test("a cast switches every member with one frame, addressed or not, as far as it is able", async () => {
  const play = await stage();
  await play.keep(a, b, c);
  assert.deepEqual(await play.cast([a, b], { isOn: true, hue: 1 }), { [a]: "taken", [b]: "unsupported" });
  assert.deepEqual(
    [a, b, c].map((native) => [shown(play, native), shown(play, native, "hue") === 1]),
    [
      [true, true],
      [true, false],
      [true, false],
    ],
  );
  assert.deepEqual(await play.stats(), { tx_successful: 1, tx_err_no_ack: 0 });
});

test("a device that misses a cast does not answer; one outside the group is refused", async () => {
  const play = await stage();
  await play.keep(a, b, unplugged, wired);
  play.adapter.perform({ native: b, action: "drop" });
  const natives = [a, b, c, unplugged, wired];
  assert.deepEqual(await play.cast(natives), {
    [a]: "taken",
    [c]: "refused",
    [unplugged]: "refused",
    [wired]: "refused",
  });
});

test("adds and removes members once they are reachable again", async () => {
  const play = await stage();
  await play.keep(a, unplugged);
  play.adapter.perform({ native: unplugged, action: "plug" });
  await play.clock.pass(1000);
  assert.deepEqual(await play.cast([a, unplugged]), { [a]: "taken", [unplugged]: "taken" });
  play.adapter.perform({ native: unplugged, action: "unplug" });
  await play.keep(a, b);
  assert.deepEqual(await play.cast([a, b]), { all: "busy" }, "it would switch a former member");
  play.adapter.perform({ native: unplugged, action: "plug" });
  await play.clock.pass(1000);
  assert.deepEqual(await play.cast([a, b]), { [a]: "taken", [b]: "taken" });
});

test("refuses a cast to an unknown group and a cast of anything but a set", async () => {
  const play = await stage();
  assert.deepEqual(await play.cast([a, b]), { all: "refused" });
  await play.keep(a, b);
  const { groupcast } = play.adapter;
  const cast = groupcast.cast("g", [a], { type: "identify" }, () => {}, new AbortController().signal);
  await assert.rejects(cast, { code: "unsupported" });
});

test("an abort ends a cast, and so does the adapter's stop", async () => {
  const play = await stage();
  const groups: AirGroup[] = [{ id: "g", address: 3, members: [a, b] }];
  await play.adapter.groupcast.keep(groups);
  const abort = new AbortController();
  const cast = (signal: AbortSignal): Promise<void> =>
    play.adapter.groupcast.cast("g", [a, b], { type: "set", attributes: { isOn: true } }, () => {}, signal);
  const cancelled = assert.rejects(cast(abort.signal), { code: "cancelled" });
  abort.abort();
  await cancelled;
  const stopped = assert.rejects(cast(new AbortController().signal), { code: "stopped" });
  await play.adapter.stop();
  await stopped;
});
