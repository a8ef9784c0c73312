import { limits } from "@ledge/model";
import Type from "typebox";
import { addDevice, registerHub, removeDevice, updateDevice } from "./device-changes.ts";
import { GraphDevice, NewDevice, NewGateway, NewMetadata, ofDevice } from "./device-object.ts";
import { Failed, invalidFields } from "./errors.ts";
import { invitationFields, invite, revoke, userFields } from "./hub-users.ts";
import { GraphOperation } from "./operation-object.ts";
import { mustHave } from "./register-device.ts";
import { beginRestart } from "./restart.ts";
import { row, type Row } from "./row.ts";
import { failureOf } from "./submitting.ts";

/** Types that change a device register. */
export const registerCommandRows = [
  row({
    type: "AddDeviceDeviceRegisterCommand",
    summary: "Adds a device by hand; a hub's register takes only what the hub has",
    scope: "register",
    right: "A",
    addsToLog: true,
    fields: { device: NewDevice },
    result: { device: GraphDevice },
    handle: addDevice,
  }),
  row({
    type: "UpdateDeviceDeviceRegisterCommand",
    summary: "Replaces the metadata of a device; a hub keeps type, capabilities and routing of its devices",
    scope: "register",
    right: "A",
    addsToLog: true,
    fields: { ...ofDevice, device: NewMetadata },
    result: { device: GraphDevice },
    handle: updateDevice,
  }),
  row({
    type: "RemoveDeviceDeviceRegisterCommand",
    summary:
      "Removes a device from the register and its hub, or a gateway with its devices from a tenant's register",
    scope: "register",
    right: "A",
    fields: ofDevice,
    handle: removeDevice,
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
      const place = { register: call.target.registerId, device: deviceId };
      return (await failureOf(call, { type: "CONFIGURE_REGISTER_DEVICE", ...place, configuration })) ?? {};
    },
  }),
  row({
    type: "RegisterHubDeviceRegisterCommand",
    summary: "Registers a hub, which the caller owns, as a gateway: the register shows what the hub shares",
    scope: "register",
    right: "A",
    addsToLog: true,
    fields: { hub: NewGateway },
    result: { operation: GraphOperation },
    handle: registerHub,
  }),
  restartRow("RestartHubDeviceRegisterCommand", "Restarts the hub of a gateway device, as RestartHubCommand"),
  restartRow(
    "RebootHubDeviceRegisterCommand",
    "Reboots the machine of a gateway device's hub, as RebootHubCommand",
  ),
  row({
    type: "InviteHubUserDeviceRegisterCommand",
    summary: "Invites an address to the hub of a gateway device",
    scope: "gateway",
    right: "A",
    addsToLog: true,
    fields: invitationFields,
    handle: (call) => invite(call.fields, call),
  }),
  row({
    type: "RevokeHubUserDeviceRegisterCommand",
    summary: "Revokes a user's access to the hub of a gateway device",
    scope: "gateway",
    right: "R",
    fields: userFields,
    handle: (call) => revoke(call.fields.userId, call),
  }),
];

function restartRow(type: `${string}DeviceRegisterCommand`, summary: string): Row {
  return row({
    type,
    summary,
    scope: "gateway",
    right: "A",
    result: { operation: GraphOperation },
    handle(call) {
      const { registerId: deviceRegisterId, hubId } = call.target;
      return beginRestart(type, { deviceRegisterId, deviceId: hubId, hubId }, call);
    },
  });
}
