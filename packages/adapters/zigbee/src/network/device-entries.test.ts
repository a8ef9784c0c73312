import assert from "node:assert/strict";
import { test } from "node:test";
import { DeviceEntries } from "./device-entries.ts";

function storeOf(values = new Map<string, unknown>()) {
  const puts: string[] = [];
  const store = {
    get: (key: string) => values.get(key),
    put: async (key: string, value: unknown) => {
      puts.push(key);
      values.set(key, value);
    },
  };
  return { store, values, puts };
}

const line = (id: number, more: object = {}): string =>
  JSON.stringify({ id, type: "Router", ieeeAddr: `0x${id}`, lastSeen: 1, ...more });
const told = (attributes: object): object => ({
  endpoints: { 1: { clusters: { genOnOff: { attributes } } } },
});

test("stores an entry when it is new or changed, not whenever its device is heard", async () => {
  const { store, puts } = storeOf();
  const entries = new DeviceEntries(store);
  await entries.copy(`${line(1, told({ onOff: 0 }))}\n${line(2)}`);
  assert.deepEqual(puts.splice(0), ["entry/1", "entry/2", "entries"]);
  await entries.copy(`${line(1, { ...told({ onOff: 1 }), lastSeen: 9 })}\n${line(2, { lastSeen: 8 })}`);
  assert.deepEqual(puts.splice(0), []);
  await entries.copy(`${line(1, told({ onOff: 1, onTime: 0 }))}\n${line(2, { nwkAddr: 7 })}`);
  assert.deepEqual(puts.splice(0), ["entry/1", "entry/2"]);
});

test("restores the database from the store, without removed devices", async () => {
  const { store, values } = storeOf();
  const coordinator = line(1, { type: "Coordinator" });
  await new DeviceEntries(store).copy([coordinator, line(2), line(3)].join("\n"));
  const again = new DeviceEntries(storeOf(values).store);
  assert.equal(again.text(), [coordinator, line(2), line(3)].join("\n"));
  assert.deepEqual([again.coordinator(), again.devices()], ["0x1", ["0x2", "0x3"]]);
  await again.copy([coordinator, line(3)].join("\n"));
  const last = storeOf(values);
  assert.deepEqual(new DeviceEntries(last.store).devices(), ["0x3"]);
  await new DeviceEntries(last.store).copy([coordinator, line(3)].join("\n"));
  assert.deepEqual(last.puts, []);
  await again.clear();
  assert.equal(new DeviceEntries(last.store).text(), "");
});

test("adds devices by their addresses once, and leaves known ones as they are", async () => {
  const { store, puts } = storeOf();
  const entries = new DeviceEntries(store);
  const known = line(4, { ieeeAddr: "0x000b57fffe000001" });
  await entries.copy([line(1, { type: "Coordinator" }), known].join("\n"));
  const members = [1, 2, 2].map((nr) => ({ ieee: `0x000b57fffe00000${nr}`, address: 0x1000 + nr }));
  await entries.add(members);
  puts.length = 0;
  await entries.add(members);
  assert.deepEqual(puts, []);
  const [, first, added] = entries.text().split("\n");
  assert.equal(first, known);
  const { id, ieeeAddr, nwkAddr, interviewState } = JSON.parse(added ?? "") as Record<string, unknown>;
  assert.deepEqual([id, ieeeAddr, nwkAddr, interviewState], [5, "0x000b57fffe000002", 0x1002, "PENDING"]);
  assert.deepEqual(entries.devices().length, 2);
});

test("a damaged file removes nothing from the store", async () => {
  const { store } = storeOf();
  const entries = new DeviceEntries(store);
  await entries.copy(`${line(1)}\n${line(2)}`);
  await assert.rejects(entries.copy(`${line(1)}\n${line(2).slice(0, 9)}`), SyntaxError);
  assert.deepEqual(entries.devices(), ["0x1", "0x2"]);
});

test("runs copies one after the other", async () => {
  const { store } = storeOf();
  const entries = new DeviceEntries(store);
  await Promise.all([entries.copy(line(1)), entries.copy(`${line(1)}\n${line(2)}`), entries.copy(line(2))]);
  assert.deepEqual(entries.devices(), ["0x2"]);
});
