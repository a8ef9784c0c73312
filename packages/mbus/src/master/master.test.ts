import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedClock } from "@ledge/testkit";
import { MbusBus, type SimulatedMeter } from "@ledge/testkit/mbus";
import {
  Master,
  MasterFault,
  MasterLine,
  searchPrimary,
  searchSecondary,
  toHex,
  writeFrame,
} from "../index.ts";

const meterOf = (id: string, more: Partial<SimulatedMeter> = {}): SimulatedMeter => ({
  address: 0,
  id,
  manufacturer: "KAM",
  version: 8,
  medium: 4,
  telegrams: ["04 06 01 00 00 00"],
  ...more,
});

interface Rig {
  readonly bus: MbusBus;
  readonly line: MasterLine;
  readonly master: Master;
  /** Lets time pass until the promise settles. */
  readonly run: <T>(promise: Promise<T>) => Promise<T>;
  readonly clock: SimulatedClock;
}

function rigOf(meters: readonly SimulatedMeter[], echo = false): Rig {
  const clock = new SimulatedClock();
  const bus = new MbusBus(meters, clock);
  const far = bus.connect((bytes) => line.receive(bytes));
  const line: MasterLine = new MasterLine({
    clock,
    write: (bytes) => {
      if (echo) line.receive(bytes);
      far.receive(bytes);
    },
  });
  const run = async <T>(promise: Promise<T>): Promise<T> => {
    const state = { isOver: false };
    const over = (): void => {
      state.isOver = true;
    };
    promise.then(over, over);
    while (!state.isOver) await clock.pass(20);
    return promise;
  };
  return { bus, line, master: new Master(line), run, clock };
}

const fails = (promise: Promise<unknown>, code: string, message: RegExp): Promise<void> =>
  assert.rejects(
    promise,
    (error) => error instanceof MasterFault && error.code === code && message.test(error.message),
  );

test("reads a meter at its address, with a frame count bit that toggles", async () => {
  const { bus, master, run } = rigOf([meterOf("12345678", { address: 5 })]);
  assert.equal(await run(master.initialise(5)), true);
  for (let i = 0; i < 3; i++) {
    const [telegram, ...others] = await run(master.read(5));
    assert.equal(others.length, 0);
    assert.equal(telegram?.kind === "variable" && telegram.meter?.id, "12345678");
  }
  assert.deepEqual(
    bus.heard.map((frame) => toHex(writeFrame(frame))),
    ["10 40 05 45 16", "10 7B 05 80 16", "10 5B 05 60 16", "10 7B 05 80 16"],
  );
});

test("reads all telegrams of a meter, and asks again for one that got lost", async () => {
  const meter = meterOf("12345678", { address: 5, telegrams: ["01 13 01 1F", "01 13 02 1F", "01 13 03"] });
  const { master, run } = rigOf([meter]);
  const values = async (): Promise<unknown> =>
    (await run(master.read(5))).map(
      (telegram) => telegram.kind === "variable" && telegram.records[0]?.data[0],
    );
  await run(master.initialise(5));
  assert.deepEqual(await values(), [1, 2, 3]);
  meter.lies = "checksum";
  await fails(run(master.read(5)), "collision", /is no frame/);
  meter.lies = undefined;
  await run(master.resetApplication(5));
  assert.deepEqual(await values(), [1, 2, 3], "the request that failed is repeated with the same bit");
});

test("cuts off a meter whose telegrams never end", async () => {
  const { master, run } = rigOf([meterOf("12345678", { address: 5, telegrams: ["01 13 01 1F"] })]);
  assert.equal((await run(master.read(5))).length, 16);
});

test("reads a meter by its secondary address", async () => {
  const { master, run } = rigOf([
    meterOf("12345678"),
    meterOf("12345679"),
    meterOf("02345678", { medium: 7 }),
  ]);
  const [telegram] = await run(master.read({ id: "12345679" }));
  assert.equal(telegram?.kind === "variable" && telegram.meter?.id, "12345679");
  const [water] = await run(master.read({ id: "FFFFFFFF", medium: 7 }));
  assert.equal(water?.kind === "variable" && water.meter?.id, "02345678");
  await fails(run(master.read({ id: "00000001" })), "silent", /meter 00000001 does not answer/);
  await fails(run(master.read({ id: "1234567X" })), "refused", /not an id of eight digits/);
});

test("notices meters that collide, lie, are dead, slow or busy", async () => {
  const meter = meterOf("12345678", { address: 5 });
  const { master, run, bus } = rigOf([meter, meterOf("87654321", { address: 5 })]);
  await fails(run(master.read(5)), "collision", /answer of the meter at address 5 is no frame/);
  bus.meters.pop();
  meter.lies = "address";
  await fails(run(master.read(5)), "foreign", /address 6 answers in place of 5/);
  meter.lies = "identity";
  await fails(run(master.read({ id: "12345678" })), "foreign", /99999999 answers in place of 12345678/);
  meter.lies = "busy";
  await fails(run(master.read(5)), "application", /application is busy/);
  meter.lies = undefined;
  meter.delayMs = 250;
  assert.equal((await run(master.read(5))).length, 1);
  meter.isDead = true;
  const sent = bus.heard.length;
  await fails(run(master.read(5)), "silent", /does not answer/);
  assert.equal(bus.heard.length - sent, 3, "asks three times");
});

test("ignores what level converters return of the request", async () => {
  const { master, run } = rigOf([meterOf("12345678", { address: 5 })], true);
  assert.equal((await run(master.read(5))).length, 1);
  await fails(run(master.read(6)), "silent", /address 6 does not answer/);
});

test("finds all meters behind masks, and names those that no mask tells apart", async () => {
  const ids = ["12345678", "12345679", "12399999", "00000001", "90000000"];
  const { master, run } = rigOf([
    ...ids.map((id) => meterOf(id)),
    meterOf("55555555", { medium: 7 }),
    meterOf("55555555", { medium: 4 }),
  ]);
  const seen: string[] = [];
  const { meters, collisions } = await run(searchSecondary(master, undefined, ({ id }) => seen.push(id)));
  assert.deepEqual(meters.map(({ id }) => id).toSorted(), ids.toSorted());
  assert.deepEqual(seen.toSorted(), ids.toSorted());
  assert.deepEqual(collisions, ["55555555"]);
});

test("finds nothing on an empty bus", async () => {
  const { master, run } = rigOf([]);
  assert.deepEqual(await run(searchSecondary(master)), {
    meters: [],
    collisions: [],
    unreadable: [],
  });
});

test("finds the others beside a meter that cannot be read, and reads one of the fixed structure", async () => {
  const fixed = "78 56 34 12 0A 00 E9 7E 01 00 00 00 35 01 00 00";
  const { master, run } = rigOf([
    meterOf("02345678", { lies: "busy" }),
    meterOf("12345678", { fixed }),
    meterOf("22345678"),
  ]);
  const { meters, unreadable } = await run(searchSecondary(master));
  assert.deepEqual(
    meters.map(({ id, manufacturer }) => [id, manufacturer]),
    [
      ["12345678", "@@@"],
      ["22345678", "KAM"],
    ],
  );
  assert.deepEqual(
    unreadable.map(({ id }) => id),
    ["0FFFFFFF"],
  );
  assert.match(unreadable[0]?.reason ?? "", /busy/);
  const [telegram] = await run(master.read(meters[0] ?? assert.fail()));
  assert.equal(telegram?.kind === "fixed" && telegram.id, "12345678");
});

test("finds the addresses of the link layer that answer", async () => {
  const { master, run } = rigOf([
    meterOf("1".repeat(8), { address: 3 }),
    meterOf("2".repeat(8), { address: 7 }),
  ]);
  assert.deepEqual(await run(searchPrimary(master, 1, 10)), [3, 7]);
});

test("sets address and speed of a meter, and refuses impossible ones", async () => {
  const meter = meterOf("12345678");
  const { master, run, bus, line } = rigOf([meter]);
  await run(master.setAddress({ id: "12345678" }, 17));
  assert.equal(meter.address, 17);
  await run(master.setBaudRate(17, 9600));
  assert.equal(toHex(writeFrame(bus.heard.at(-1) ?? { type: "ack" })), "68 03 03 68 73 11 BD 41 16");
  line.baudRate = 9600;
  assert.equal(line.baudRate, 9600);
  assert.equal((await run(master.read(17))).length, 1);
  await fails(master.setAddress(17, 251), "refused", /not an address from 1 to 250/);
  await fails(master.setBaudRate(17, 1000), "refused", /1000 is not one of 300, 600/);
  await run(master.resetApplication(255, 0x50));
  assert.equal(toHex(writeFrame(bus.heard.at(-1) ?? { type: "ack" })), "68 04 04 68 73 FF 50 50 12 16");
});

test("cancels a request that nobody waits for, and goes on with the next", async () => {
  const { master, run } = rigOf([meterOf("12345678", { address: 5 })]);
  const abort = new AbortController();
  const dead = master.read(6, abort.signal);
  const next = master.read(5);
  abort.abort();
  await fails(run(dead), "cancelled", /nobody waits/);
  assert.equal((await run(next)).length, 1);
});

test("ends all requests when the line closes", async () => {
  const { master, run, line } = rigOf([]);
  const pending = master.read(5);
  const waiting = master.read(6);
  const ended = [fails(run(pending), "closed", /pulled out/), fails(run(waiting), "closed", /pulled out/)];
  await Promise.resolve();
  line.close("the stick was pulled out");
  await Promise.all(ended);
});

test("survives endless noise as the answer", async () => {
  const { clock, run } = rigOf([]);
  let stop = (): void => {};
  const noisy: MasterLine = new MasterLine({
    clock,
    write: () => {
      const chatter = (left: number): void => {
        if (left > 0) noisy.receive(new Uint8Array(1000).fill(0x68));
        if (left > 0) stop = clock.after(1, () => chatter(left - 1));
      };
      chatter(200);
    },
  });
  await fails(run(new Master(noisy, { tries: 1 }).read(5)), "collision", /no frame/);
  stop();
});
