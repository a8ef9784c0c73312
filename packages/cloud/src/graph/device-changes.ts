import { type DeviceAbout, type DeviceMetadata } from "../model/register-device.ts";
import { gatewayIn } from "../model/device-register.ts";
import type { DeviceRow } from "@ledge/fleet";
import { described } from "../registers/described.ts";
import { isOwnSource } from "../registers/own-source.ts";
import {
  deviceObject,
  type GraphDevice,
  type NewDevice,
  type NewGateway,
  type NewMetadata,
} from "./device-object.ts";
import { Failed, failedBy } from "./errors.ts";
import { hubTarget } from "./hub-target.ts";
import { type GraphOperation, operationObject } from "./operation-object.ts";
import { mustHave } from "./register-device.ts";
import { hubOf } from "./register-target.ts";
import type { GraphCall } from "./row.ts";
import { failureOf } from "./submitting.ts";

type Call<Fields = unknown> = GraphCall<"register", Fields>;
type Shown = { readonly device: GraphDevice } | Failed;

const ofHub = (what: string): Failed =>
  new Failed("E_WRONG_STATE", `this is the register of a hub: ${what}`, { field: "deviceRegisterId" });

/** Adds a device that no hub reaches. */
export async function addDevice(call: Call<{ readonly device: NewDevice }>): Promise<Shown> {
  const { caller, fields, target, parts } = call;
  if (target.hub) return ofHub("pair the device with the hub");
  const { id, type, isActive = true } = fields.device;
  const said = { about: aboutIn(fields.device, type), metadata: metadataIn(fields.device, isActive) };
  const place = { register: target.registerId, device: id, by: caller.account };
  const command = { type: "ADD_REGISTER_DEVICE", ...place, ...said };
  const refused = await parts.registers.add(command, `user:${caller.account}`);
  return refused === undefined ? shown(id, call) : failedBy(refused);
}

/** Replaces what is said of a device. */
export async function updateDevice(
  call: Call<{ readonly deviceId: string; readonly device: NewMetadata }>,
): Promise<Shown> {
  const { deviceId, device: said } = call.fields;
  const found = await mustHave(deviceId, call);
  if (found instanceof Failed) return found;
  const failed = isOwnSource(found.source)
    ? await updateOwn(found, said, call)
    : await updateOfHub(found, said, call);
  return failed ?? shown(deviceId, call);
}

async function updateOwn(
  { id, device }: DeviceRow,
  said: NewMetadata,
  call: Call,
): Promise<Failed | undefined> {
  const { caller, target, parts } = call;
  const about = aboutIn(said, said.type ?? device.type);
  const metadata = metadataIn(said, said.isActive ?? device.isActive);
  const place = { register: target.registerId, device: id, by: caller.account };
  const command = { type: "UPDATE_REGISTER_DEVICE", ...place, about, metadata };
  const failed = await failureOf(call, command);
  if (failed === undefined) await parts.registers.own.written(target.registerId);
  return failed;
}

/** Gives the name to the hub and keeps the rest, then shows both before the hub has reported its part. */
async function updateOfHub(
  { id, device, object, source }: DeviceRow,
  said: NewMetadata,
  call: Call,
): Promise<Failed | undefined> {
  const { caller, target, parts } = call;
  const kept = (["type", "capabilities", "routing"] as const).find(
    (field) => said[field] !== undefined && JSON.stringify(said[field]) !== JSON.stringify(device[field]),
  );
  if (kept !== undefined)
    return new Failed("E_WRONG_STATE", `${kept} is the hub's to say`, { field: `device.${kept}` });
  const { name } = said;
  const { kernel } = parts.cloud;
  const isNamed = name !== device.name;
  if (isNamed && id === source && target.hub) return ofHub("name the hub by the hub API");
  if (isNamed && id !== source) {
    const hub = hubOf({ source, id }, "A", call);
    if (hub instanceof Failed) return hub;
    const body = [{ type: "CMD_DEVICE_META", id, name, room: object?.["room"] ?? [] }];
    const answer = await parts.hubCalls.call(
      { method: "PUT", path: "/devices", body },
      { ...call, target: hub },
    );
    if (answer instanceof Failed) return answer;
  }
  const register = target.registerId;
  const metadata = metadataIn(said, said.isActive ?? device.isActive);
  const failed = await failureOf(
    call,
    ...(isNamed && id === source ? [{ type: "NAME_GATEWAY", id: register, hubId: id, name }] : []),
    { type: "DESCRIBE_REGISTER_DEVICE", register, device: id, by: caller.account, metadata },
  );
  if (failed !== undefined) return failed;
  await parts.registers.rewrite(register, id, (held) =>
    described({ ...held, device: { ...held.device, name } }, kernel),
  );
  return undefined;
}

/** Removes a device from its hub, a device that was added by hand, or a gateway from a register of a tenant. */
export async function removeDevice(call: Call<{ readonly deviceId: string }>): Promise<{} | Failed> {
  const { target, parts } = call;
  const { deviceId: id } = call.fields;
  const found = await mustHave(id, call);
  if (found instanceof Failed) return found;
  const { source } = found;
  const register = target.registerId;
  if (isOwnSource(source) || (target.own && gatewayIn(target.own, id))) {
    const command = isOwnSource(source)
      ? { type: "FORGET_REGISTER_DEVICE", register, device: id }
      : { type: "REMOVE_GATEWAY", id: register, hubId: id };
    const failed = await failureOf(call, command);
    if (failed !== undefined) return failed;
    await Promise.all([parts.registers.own.written(register), parts.leaving.done(register)]);
    return {};
  }
  if (id === source) return ofHub("the hub itself stays");
  const hub = hubOf(found, "A", call);
  if (hub instanceof Failed) return hub;
  const asked = { method: "DELETE", path: "/devices", body: [id] };
  const answer = await parts.hubCalls.call(asked, { ...call, target: hub });
  if (answer instanceof Failed) return answer;
  await parts.registers.remove(source, id);
  return {};
}

/** Makes a hub a gateway; done when the hub has told its home. */
export async function registerHub(
  call: Call<{ readonly hub: NewGateway }>,
): Promise<{ operation: GraphOperation } | Failed> {
  const { caller, fields, target, parts, correlationId } = call;
  const { hub } = fields;
  if (target.hub) return ofHub("it takes no other gateways");
  const { serialNumber: hubId, name = "" } = hub;
  const found = hubTarget(hubId, "O", caller, parts.cloud, "hub.serialNumber");
  if (found instanceof Failed) return found;
  const full = parts.operations.refusal(caller.account);
  if (full !== undefined) return full;
  const { registerId: register } = target;
  const by = caller.account;
  const metadata = metadataIn(hub, true);
  const failed = await failureOf(
    call,
    { type: "REGISTER_GATEWAY", id: register, hubId, name, by },
    { type: "DESCRIBE_REGISTER_DEVICE", register, device: hubId, by, metadata },
  );
  if (failed !== undefined) return failed;
  const operation = await parts.operations.begin({
    command: "RegisterHubDeviceRegisterCommand",
    owner: by,
    target: { deviceRegisterId: register, deviceId: hubId, hubId },
    input: {},
    correlationId: correlationId ?? null,
  });
  return operation instanceof Failed ? operation : { operation: operationObject(operation) };
}

async function shown(deviceId: string, call: Call): Promise<Shown> {
  const now = await mustHave(deviceId, call);
  return now instanceof Failed ? now : { device: deviceObject(now) };
}

const nowhere = { gatewayId: null, protocol: null } as const;

function aboutIn(
  { name, capabilities = [], routing = nowhere }: Pick<NewMetadata, "name" | "capabilities" | "routing">,
  type: string,
): DeviceAbout {
  return { name, type, capabilities, routing: { ...routing } };
}

type Said = Partial<Omit<DeviceMetadata, "isActive">>;

function metadataIn(
  { nativeId = "", serialNumber = "", model = "", manufacturer = "", tags = {} }: Said,
  isActive: boolean,
): DeviceMetadata {
  return { isActive, nativeId, serialNumber, model, manufacturer, tags };
}
