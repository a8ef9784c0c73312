import { limits } from "@ledge/model";
import Type from "typebox";
import type { DeviceMetadata } from "../model/register-device.ts";
import { described } from "../registers/described.ts";
import { NewDeviceId, deviceObject, GraphDevice, NewMetadata, ofDevice } from "./device-object.ts";
import { Failed, invalidFields } from "./errors.ts";
import { invitationFields, invite, revoke, userFields } from "./hub-users.ts";
import { GraphOperation } from "./operation-object.ts";
import { gatewayOf, mustHave } from "./register-device.ts";
import { beginRestart } from "./restart.ts";
import { type GraphCall, row, type Row } from "./row.ts";
import { failureOf } from "./submitting.ts";

type Call = GraphCall<"register", unknown>;

const ofHub = (what: string): Failed =>
  new Failed("E_WRONG_STATE", `this is the register of a hub: ${what}`, { field: "deviceRegisterId" });

/** Types that change a device register, or command its devices. */
export const registerCommandRows = [
  row({
    type: "AddDeviceDeviceRegisterCommand",
    summary: "Adds a device by hand; a hub's register takes only what the hub has",
    scope: "register",
    right: "A",
    fields: { device: Type.Object({ id: NewDeviceId, ...NewMetadata.properties }) },
    handle: () => ofHub("pair the device with the hub"),
  }),
  row({
    type: "UpdateDeviceDeviceRegisterCommand",
    summary: "Replaces the metadata of a device; its hub keeps type, capabilities and routing",
    scope: "register",
    right: "A",
    addsToLog: true,
    fields: { ...ofDevice, device: NewMetadata },
    result: { device: GraphDevice },
    handle: (call) => update(call.fields.deviceId, call.fields.device, call),
  }),
  row({
    type: "RemoveDeviceDeviceRegisterCommand",
    summary: "Removes a device from its hub and the register",
    scope: "register",
    right: "A",
    fields: ofDevice,
    async handle(call) {
      const { deviceId } = call.fields;
      const found = await mustHave(deviceId, call);
      if (found instanceof Failed) return found;
      if (deviceId === call.target.hubId) return ofHub("the hub itself stays");
      const { hubCalls, registers } = call.parts;
      const answer = await hubCalls.call({ method: "DELETE", path: "/devices", body: [deviceId] }, call);
      if (answer instanceof Failed) return answer;
      await registers.remove(call.target.hubId, deviceId);
      return {};
    },
  }),
  row({
    type: "SetDeviceConfigurationDeviceRegisterCommand",
    summary: "Replaces the free-form configuration of a device",
    scope: "register",
    right: "A",
    addsToLog: true,
    fields: { ...ofDevice, configuration: Type.Record(Type.String(), Type.Unknown()) },
    async handle(call) {
      const { deviceId, configuration } = call.fields;
      if (Buffer.byteLength(JSON.stringify(configuration)) > limits.deviceConfigurationBytes) {
        const message = `has at most ${limits.deviceConfigurationBytes} bytes as JSON`;
        return invalidFields([{ field: "configuration", message }]);
      }
      const found = await mustHave(deviceId, call);
      if (found instanceof Failed) return found;
      const place = { register: call.target.hubId, device: deviceId };
      return (await failureOf(call, { type: "CONFIGURE_REGISTER_DEVICE", ...place, configuration })) ?? {};
    },
  }),
  row({
    type: "RegisterHubDeviceRegisterCommand",
    summary: "Registers a hub as a gateway; a hub's register has its own hub only",
    scope: "register",
    right: "A",
    fields: { hub: Type.Object({ serialNumber: Type.String({ minLength: 2, maxLength: 100 }) }) },
    handle: () => ofHub("it takes no other gateways"),
  }),
  restartRow("RestartHubDeviceRegisterCommand", "Restarts the hub of a gateway device, as RestartHubCommand"),
  restartRow(
    "RebootHubDeviceRegisterCommand",
    "Reboots the machine of a gateway device's hub, as RebootHubCommand",
  ),
  row({
    type: "InviteHubUserDeviceRegisterCommand",
    summary: "Invites an address to the hub of a gateway device",
    scope: "register",
    right: "A",
    addsToLog: true,
    fields: { ...ofDevice, ...invitationFields },
    handle: (call) => gatewayOf(call.fields.deviceId, call) ?? invite(call.fields, call),
  }),
  row({
    type: "RevokeHubUserDeviceRegisterCommand",
    summary: "Revokes a user's access to the hub of a gateway device",
    scope: "register",
    right: "R",
    fields: { ...ofDevice, ...userFields },
    handle: (call) => gatewayOf(call.fields.deviceId, call) ?? revoke(call.fields.userId, call),
  }),
];

function restartRow(type: `${string}DeviceRegisterCommand`, summary: string): Row {
  return row({
    type,
    summary,
    scope: "register",
    right: "A",
    fields: ofDevice,
    result: { operation: GraphOperation },
    handle(call) {
      const { deviceId } = call.fields;
      const target = { deviceRegisterId: call.target.hubId, deviceId };
      return gatewayOf(deviceId, call) ?? beginRestart(type, target, call);
    },
  });
}

/** Gives the name to the hub and keeps the rest, then shows both before the hub has reported its part. */
async function update(
  deviceId: string,
  said: NewMetadata,
  call: Call,
): Promise<{ device: GraphDevice } | Failed> {
  const found = await mustHave(deviceId, call);
  if (found instanceof Failed) return found;
  const { device, object } = found;
  const kept = (["type", "capabilities", "routing"] as const).find(
    (field) => said[field] !== undefined && JSON.stringify(said[field]) !== JSON.stringify(device[field]),
  );
  if (kept !== undefined)
    return new Failed("E_WRONG_STATE", `${kept} is the hub's to say`, { field: `device.${kept}` });
  const { name, isActive = device.isActive } = said;
  const { nativeId = "", serialNumber = "", model = "", manufacturer = "", tags = {} } = said;
  const metadata: DeviceMetadata = { isActive, nativeId, serialNumber, model, manufacturer, tags };
  const { parts, caller, target } = call;
  if (name !== device.name) {
    if (deviceId === target.hubId) return ofHub("name the hub by the hub API");
    const body = [{ type: "CMD_DEVICE_META", id: deviceId, name, room: object?.["room"] ?? [] }];
    const answer = await parts.hubCalls.call({ method: "PUT", path: "/devices", body }, call);
    if (answer instanceof Failed) return answer;
  }
  const place = { register: target.hubId, device: deviceId };
  const command = { type: "DESCRIBE_REGISTER_DEVICE", ...place, by: caller.account, metadata };
  const failed = await failureOf(call, command);
  if (failed !== undefined) return failed;
  await parts.registers.rewrite(target.hubId, deviceId, (held) =>
    described({ ...held, device: { ...held.device, name } }, parts.cloud.kernel),
  );
  const now = await mustHave(deviceId, call);
  return now instanceof Failed ? now : { device: deviceObject(now) };
}
