import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Rig } from "./testdata/rig.ts";
import { startRig } from "./testdata/rig.ts";
import type { Slave } from "./testdata/slave.ts";
import { startSlave } from "./testdata/slave.ts";

let cellar: Slave;
let roof: Slave;
let rig: Rig;
const answering = new Map<Slave, readonly number[]>();

before(async () => {
  [cellar, roof] = [await startSlave(), await startSlave()];
  for (const slave of [cellar, roof])
    slave.behaviour.delay = ({ unit }) => (answering.get(slave)?.includes(unit) ? 0 : Infinity);
  const lineOf = (name: string, { port }: Slave): object => ({
    name,
    transport: { type: "tcp", host: "127.0.0.1", port },
    // Answers that must come in this time come on a busy machine, too.
    timeoutMs: 1000,
    devices: [],
  });
  rig = await startRig({ ports: [lineOf("cellar", cellar), lineOf("roof", roof)] });
});

after(async () => {
  await rig.adapter.stop();
  await Promise.all([cellar.down(), roof.down()]);
});

const relay = { type: "PAIR_MODBUS", deviceType: "RELAY", name: "Fan", register: 0, registerType: 1 };
const pair = (...commands: object[]): Promise<unknown> => rig.ask({ type: "PAIR_MODBUS", commands });

test("pairs a device on the line on which it answers, when the client names none", async () => {
  answering.set(cellar, [1]).set(roof, [2, 3]);
  assert.equal(await pair({ ...relay, address: 1 }, { ...relay, address: 2 }), true);
  assert.deepEqual(
    rig.announced.map((native) => native.split("/")[0]),
    ["cellar", "roof"],
  );
  assert.equal(await pair({ ...relay, address: 3, port: "roof" }), true);
});

test("pairs nothing when no line answers, or several do and the client names none", async () => {
  answering.set(cellar, [4]).set(roof, [4]);
  const paired = rig.announced.length;
  await assert.rejects(pair({ ...relay, address: 9 }), {
    code: "timeout",
    message: "address: 9 does not answer on cellar, roof",
  });
  await assert.rejects(pair({ ...relay, address: 4 }), {
    code: "settings",
    message: "port: must be one of cellar, roof: 4 answers on each",
  });
  assert.equal(rig.announced.length, paired);
  assert.equal(await pair({ ...relay, address: 4, port: "roof" }), true);
  assert.equal(await pair({ ...relay, address: 4, port: "cellar" }), true);
});

test("refuses a device that has no identification although the client says so", async () => {
  answering.set(cellar, [5]);
  await assert.rejects(pair({ ...relay, address: 5, port: "cellar", readDeviceIdSupported: true }), {
    code: "unsupported",
    message: /^readDeviceIdSupported: 5 has no identification: exception 1/,
  });
});
