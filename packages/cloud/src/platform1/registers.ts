import type { Row1 } from "./row.ts";

const register = "/Registers/:deviceRegisterId";
const devices = `${register}/Devices`;
const device = `${devices}/:deviceId`;
const users = `${device}/Users`;
const user = `${users}/:userId`;

/** Device registers. */
export const registers: readonly Row1[] = [
  { method: "GET", path: devices, type: "ListDevicesDeviceRegisterQuery", query: "devices" },
  {
    method: "POST",
    path: devices,
    type: "AddDeviceDeviceRegisterCommand",
    body: "device",
    answer: "device",
    created: ({ device: added }, { deviceRegisterId }) => {
      const { id } = added as { readonly id: string };
      return `/Registers/${String(deviceRegisterId)}/Devices/${id}`;
    },
  },
  { method: "GET", path: device, type: "GetDeviceDeviceRegisterQuery", answer: "device" },
  {
    method: "PUT",
    path: device,
    type: "UpdateDeviceDeviceRegisterCommand",
    body: "device",
    answer: "device",
  },
  { method: "DELETE", path: device, type: "RemoveDeviceDeviceRegisterCommand" },
  {
    method: "POST",
    path: `${device}/Commands`,
    type: "SendDeviceRegisterCommand",
    body: "command",
    answer: "value",
  },
  {
    method: "POST",
    path: `${device}/Execute`,
    type: "ExecuteDeviceRegisterCommand",
    body: "payload",
    isBinary: true,
    answer: "value",
  },
  { method: "POST", path: `${device}/Restart`, type: "RestartHubDeviceRegisterCommand", isSlow: true },
  { method: "POST", path: `${device}/Reboot`, type: "RebootHubDeviceRegisterCommand", isSlow: true },
  { method: "GET", path: `${device}/State`, type: "GetDeviceStateDeviceRegisterQuery" },
  {
    method: "GET",
    path: `${device}/Configuration`,
    type: "GetDeviceConfigurationDeviceRegisterQuery",
    answer: "configuration",
  },
  {
    method: "PUT",
    path: `${device}/Configuration`,
    type: "SetDeviceConfigurationDeviceRegisterCommand",
    body: "configuration",
  },
  { method: "GET", path: users, type: "ListHubUsersDeviceRegisterQuery" },
  { method: "POST", path: users, type: "InviteHubUserDeviceRegisterCommand", body: "message" },
  { method: "GET", path: user, type: "GetHubUserDeviceRegisterQuery", answer: "user" },
  { method: "DELETE", path: user, type: "RevokeHubUserDeviceRegisterCommand" },
  { method: "POST", path: `${register}/Hubs`, type: "RegisterHubDeviceRegisterCommand", body: "hub" },
  {
    method: "GET",
    path: `${register}/Templates`,
    type: "ListTemplatesDeviceRegisterQuery",
    answer: "deviceTemplates",
  },
  {
    method: "GET",
    path: `${register}/Templates/:deviceType`,
    type: "ListTemplatesDeviceRegisterQuery",
    answer: "deviceTemplates",
    isOne: true,
  },
];
