import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, type Rejection } from "@ledge/model";
import { givenCloud } from "./test-given.ts";

const place = { subscription: "sub", group: "homes", name: "Meters" };
const id = "meters-abc";
const created = { type: "DeviceRegisterCreated", id, place, displayName: "Meters" };
const registered = { type: "GatewayRegistered", id, hubId: "h1", name: "", by: "ada" };
const removed = { type: "GatewayRemoved", id, hubId: "h1" };
const about = {
  name: "Meter",
  type: "METER",
  capabilities: ["POWER"],
  routing: { gatewayId: null, protocol: null },
};
const metadata = {
  isActive: true,
  nativeId: "",
  serialNumber: "",
  model: "",
  manufacturer: "",
  tags: {},
};
const where = { register: id, device: "meter-1", by: "ada" };
const refused = (rejected: Rejection["rejected"], field: string) => ({ rejected, field });
const add = { type: "ADD_REGISTER_DEVICE", ...where, about, metadata };
const added = { type: "RegisterDeviceAdded", id: `${id}/meter-1`, ...where, about, metadata };

test("a register that does not exist takes nothing", () => {
  const noRegister = refused("not-found", "deviceRegisterId");
  for (const command of [
    { type: "DELETE_DEVICE_REGISTER", id },
    { type: "REGISTER_GATEWAY", id, hubId: "h1", name: "", by: "ada" },
    { type: "NAME_GATEWAY", id, hubId: "h1", name: "Cabin" },
    { type: "REMOVE_GATEWAY", id, hubId: "h1" },
    { type: "NOTE_GATEWAY_GONE", id, hubId: "h1" },
    { type: "NOTE_REGISTER_EMPTY", id },
    add,
  ])
    givenCloud([]).when(command).then(noRegister);
});

test("a deleted register takes nothing, and is gone once its gateways and devices are", () => {
  const deleted = { type: "DeviceRegisterDeleted", id };
  const after = givenCloud([created, registered])
    .when({ type: "DELETE_DEVICE_REGISTER", id })
    .then([deleted]);
  assert.deepEqual(after.state("deviceRegister", id)?.leaving, ["h1"]);
  const world = [created, registered, deleted];
  givenCloud(world).when(add).then(refused("not-found", "deviceRegisterId"));
  givenCloud(world).when({ type: "NOTE_REGISTER_EMPTY", id }).then({ rejected: "wrong-state" });
  const gone = { type: "GatewayGone", id, hubId: "h1" };
  givenCloud(world).when({ type: "NOTE_GATEWAY_GONE", id, hubId: "h1" }).then([gone]);
  const emptied = givenCloud([...world, gone])
    .when({ type: "NOTE_REGISTER_EMPTY", id })
    .then([{ type: "DeviceRegisterEmptied", id }]);
  assert.equal(emptied.state("deviceRegister", id), undefined);
});

test("a hub is a gateway once, and again only after it has left", () => {
  const command = { type: "REGISTER_GATEWAY", id, hubId: "h1", name: "", by: "ada" };
  givenCloud([created]).when(command).then([registered]);
  givenCloud([created, registered]).when(command).then(refused("taken", "hub.serialNumber"));
  const leaving = refused("wrong-state", "hub.serialNumber");
  givenCloud([created, registered, removed]).when(command).then(leaving);
  givenCloud([created, registered, removed, { type: "GatewayGone", id, hubId: "h1" }])
    .when(command)
    .then([registered]);
});

test("a gateway is named and removed, and an unknown one is not", () => {
  const named = { type: "GatewayNamed", id, hubId: "h1", name: "Cabin" };
  const name = { type: "NAME_GATEWAY", id, hubId: "h1", name: "Cabin" };
  givenCloud([created, registered]).when(name).then([named]);
  givenCloud([created, registered, named]).when(name).then([]);
  const none = refused("not-found", "deviceId");
  givenCloud([created]).when(name).then(none);
  givenCloud([created, registered]).when({ type: "REMOVE_GATEWAY", id, hubId: "h1" }).then([removed]);
  for (const hubId of ["h2", "constructor"])
    givenCloud([created, registered]).when({ type: "REMOVE_GATEWAY", id, hubId }).then(none);
});

test("a register has a limited number of gateways, and a hub is in a limited number of registers", () => {
  const full = Array.from({ length: limits.registerGateways }, (_, at) => ({
    ...registered,
    hubId: `g${at}`,
  }));
  const command = { type: "REGISTER_GATEWAY", id, hubId: "h1", name: "", by: "ada" };
  givenCloud([created, ...full.slice(1)])
    .when(command)
    .then([registered]);
  const limited = { rejected: "limit" } as const;
  givenCloud([created, ...full])
    .when(command)
    .then(limited);
  const others = Array.from({ length: limits.hubRegisters }, (_, at) => [
    { ...created, id: `r${at}` },
    { ...registered, id: `r${at}` },
  ]);
  givenCloud([created, ...others.slice(1).flat()])
    .when(command)
    .then([registered]);
  givenCloud([created, ...others.flat()])
    .when(command)
    .then(limited);
});

test("a device is added once, also when a hub has its id, and replaced whole", () => {
  const after = givenCloud([created]).when(add, 7000).then([added]);
  const state = after.state("registerDevice", `${id}/meter-1`);
  assert.deepEqual([state?.about, state?.createdBy, state?.createdAt], [about, "ada", 7000]);
  const taken = refused("taken", "device.id");
  givenCloud([created, added]).when(add).then(taken);
  givenCloud([created, registered])
    .when({ ...add, device: "h1" })
    .then(taken);
  givenCloud([created, { ...added, id: `${id}/h1`, device: "h1" }])
    .when({ type: "REGISTER_GATEWAY", id, hubId: "h1", name: "", by: "ada" })
    .then(refused("taken", "hub.serialNumber"));
  const update = { ...add, type: "UPDATE_REGISTER_DEVICE", by: "bo" };
  givenCloud([created]).when(update).then(refused("not-found", "deviceId"));
  givenCloud([created, added]).when(update).then([]);
  const other = { ...about, name: "Other", capabilities: [] };
  const updated = givenCloud([created, added])
    .when({ ...update, about: other }, 9000)
    .then([{ ...added, type: "RegisterDeviceUpdated", by: "bo", about: other }]);
  const now = updated.state("registerDevice", `${id}/meter-1`);
  assert.deepEqual([now?.createdBy, now?.modifiedBy, now?.modifiedAt], ["ada", "bo", 9000]);
});
