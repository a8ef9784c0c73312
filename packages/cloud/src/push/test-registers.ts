import assert from "node:assert/strict";
import type { DeviceRow } from "@ledge/fleet";
import { until } from "@ledge/testkit";
import type { Cloud } from "../cloud.ts";
import { publishRow } from "../registers/row-news.ts";

/** Writes devices into the register of a hub, as replication does. */
export class TestRegisters {
  readonly #cloud: Pick<Cloud, "registers" | "bus">;
  #count = 0;

  constructor(cloud: Pick<Cloud, "registers" | "bus">) {
    this.#cloud = cloud;
  }

  /** The number of the last change. */
  get timestamp(): number {
    return this.#count;
  }

  /** Adds or changes a lamp. */
  set(hubId: string, id: string, isOn: boolean, more: object = {}): Promise<void> {
    return this.setIn(hubId, hubId, id, isOn, more);
  }

  /** Adds or changes a lamp of a hub in a register. */
  async setIn(hubId: string, register: string, id: string, isOn: boolean, more: object = {}): Promise<void> {
    const timestamp = ++this.#count;
    const state = { type: "DEVICE_STATE", reachable: true, lastSeen: null, isOn };
    const object = { type: "LIGHT", id, room: ["hall"], visible: true, state, timestamp, ...more };
    await this.#apply(hubId, register, id, [{ ...rowOf(hubId, id, timestamp), register, object }]);
  }

  /** Returns the ids of the devices in a register. */
  async ids(register: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { id } of this.#cloud.registers.scan(register, "device")) found.push(id);
    return found;
  }

  /** Waits until a register has a device. */
  async has(register: string, id: string): Promise<void> {
    await until(`${id} in ${register}`, () => this.#cloud.registers.get({ register, kind: "device", id }));
  }

  async remove(hubId: string, id: string): Promise<void> {
    this.#count++;
    await this.#apply(hubId, hubId, id, []);
  }

  async #apply(hubId: string, register: string, id: string, upserts: DeviceRow[]): Promise<void> {
    const { registers, bus } = this.#cloud;
    const known = await registers.cursorOf(hubId);
    const removals = upserts.length === 0 ? [{ register, kind: "device" as const, id }] : [];
    const batch = { source: hubId, generation: 1, after: known?.cursor ?? null, upto: String(this.#count) };
    const applied = await registers.apply({ ...batch, upserts, removals, outbox: [] });
    assert.equal(applied.outcome, "applied");
    publishRow(bus, { register, kind: "device", id });
  }
}

function rowOf(register: string, id: string, timestamp: number): Omit<DeviceRow, "object"> {
  const device = {
    id,
    isActive: true,
    name: `Lamp ${id}`,
    type: "LIGHT",
    capabilities: ["ON_OFF"],
    createdAt: timestamp,
    modifiedAt: timestamp,
    createdBy: "",
    modifiedBy: "",
    routing: { gatewayId: register, protocol: "zigbee" },
    nativeId: id,
    serialNumber: "",
    model: "",
    manufacturer: "",
    tags: {},
  };
  return { kind: "device", register, id, source: register, timestamp, device };
}
