// Device registers, the hubs in them, and their templates and configurations (platform-api 4.4).
import type { Chapter, Step } from "./test-steps.ts";

const devices = "/Registers/{register}/Devices";
const device = `${devices}/{new}`;
const full = {
  capabilities: ["ON_OFF"],
  routing: { gatewayId: "gate", protocol: "modbus" },
  nativeId: "n1",
  serialNumber: "s1",
  model: "m1",
  manufacturer: "f1",
  tags: { floor: "1" },
};
const bare = {
  capabilities: [],
  routing: { gatewayId: null, protocol: null },
  nativeId: "",
  serialNumber: "",
  model: "",
  manufacturer: "",
  tags: {},
};
const added: Step = {
  ask: `POST ${devices}`,
  body: { id: "{new}", name: "Meter", type: "METER", ...full },
  status: 201,
};
const deleted = (ask: string): Step => ({ ask, status: 200, has: { title: "Deleted" } });
const lamp = "/Registers/{hub}/Devices/lamp";
const gateway = "/Registers/{hub}/Devices/{hub}";
const users = `${gateway}/Users`;
const invited: Step = { ask: `POST ${users}`, body: { email: "{guest}", role: "USER" }, status: 200 };
const restarted = (act: "Restart" | "Reboot"): Step[] => [
  {
    ask: `POST ${gateway}/${act}`,
    status: 202,
    has: { command: `${act}HubDeviceRegisterCommand` },
    headers: { "operation-location": "/1.0/Operations/" },
    keep: { operation: "operationId" },
  },
  { ask: "GET /Operations/{operation}", status: 200, has: { operationId: "{operation}" } },
  { ask: `POST ${gateway}/${act}`, as: "stranger", status: 404 },
  { ask: `POST ${lamp}/${act}`, status: 404 },
];

export const registers: Chapter = {
  "list devices": [
    added,
    { ask: `GET ${devices}`, status: 200, lists: ["{new}"], has: { links: { next: null, prev: null } } },
    { ask: "GET /Registers/{hub}/Devices?id=lamp", status: 200, lists: ["lamp"] },
    { ask: `GET ${devices}`, as: "stranger", status: 404 },
    { ask: "GET /Registers/none/Devices", status: 404 },
  ],
  "add device": [
    {
      ...added,
      has: { id: "{new}", name: "Meter", type: "METER", isActive: true, ...full },
      headers: { location: `/1.0${device}` },
    },
    { ...added, status: 409 },
    { ...added, ask: "POST /Registers/{hub}/Devices", status: 409 },
    { ...added, as: "stranger", status: 404 },
  ],
  "get device metadata": [
    added,
    { ask: `GET ${device}`, status: 200, has: { id: "{new}", name: "Meter", ...full } },
    { ask: `GET ${devices}/none`, status: 404 },
    { ask: `GET ${device}`, as: "stranger", status: 404 },
  ],
  "update device metadata": [
    added,
    { ask: `PUT ${device}`, body: { name: "Other", model: "m2" }, status: 200 },
    { ask: `GET ${device}`, status: 200, has: { id: "{new}", name: "Other", ...bare, model: "m2" } },
    { ask: `PUT ${device}`, body: { name: "Full", ...full }, status: 200, has: { name: "Full", ...full } },
    { ask: `PUT ${device}`, body: { model: "m2" }, status: 422 },
    { ask: `PUT ${devices}/none`, body: { name: "Other" }, status: 404 },
  ],
  "the metadata of a device says whether it is active, and its removal ends it": [
    added,
    { ask: `PUT ${device}`, body: { name: "Meter", isActive: false }, status: 200 },
    { ask: `GET ${device}`, status: 200, has: { isActive: false } },
    { ask: `PUT ${device}`, body: { name: "Meter" }, status: 200, has: { isActive: false } },
    { ask: `PUT ${device}`, body: { name: "Meter", isActive: true }, status: 200, has: { isActive: true } },
    deleted(`DELETE ${device}`),
    { ask: `GET ${device}`, status: 404 },
  ],
  "remove device": [
    added,
    { ask: `DELETE ${device}`, as: "stranger", status: 404 },
    deleted(`DELETE ${device}`),
    { ask: `DELETE ${device}`, status: 404 },
    { ask: `GET ${devices}`, status: 200, lists: [] },
  ],
  "send command to device": [
    { ask: `POST ${lamp}/Commands`, body: { type: "CMD_DEVICE_ON" }, status: 200, is: null },
    { ask: `POST ${lamp}/Commands`, body: {}, status: 422 },
    { ask: `POST ${lamp}/Commands`, body: { type: "CMD_DEVICE_ON" }, as: "stranger", status: 404 },
    { ask: "POST /Registers/{hub}/Devices/none/Commands", body: { type: "CMD_DEVICE_ON" }, status: 404 },
    added,
    { ask: `POST ${device}/Commands`, body: { type: "CMD_DEVICE_ON" }, status: 501 },
  ],
  "send execute command to device": [
    { ask: `POST ${lamp}/Execute`, bytes: '{"type":"CMD_DEVICE_OFF"}', status: 200, is: null },
    { ask: `POST ${lamp}/Execute`, bytes: "no command", status: 422 },
    { ask: `POST ${lamp}/Execute`, bytes: '{"type":"CMD_DEVICE_OFF"}', as: "stranger", status: 404 },
  ],
  "get latest reported state": [
    { ask: `GET ${lamp}/State`, status: 200, has: { state: { type: "DEVICE_STATE", isOn: false } } },
    { ask: "GET /Registers/{hub}/Devices/none/State", status: 404 },
    added,
    { ask: `GET ${device}/State`, status: 200, has: { state: null } },
  ],
  "register hub as gateway device": [
    {
      ask: "POST /Registers/{register}/Hubs",
      body: { serialNumber: "{hub}", name: "Cabin", model: "M1", tags: { floor: "1" } },
      status: 200,
    },
    {
      ask: `GET ${devices}/{hub}`,
      status: 200,
      has: { id: "{hub}", name: "Cabin", model: "M1", manufacturer: "", tags: { floor: "1" } },
    },
    { ask: `GET ${devices}/lamp`, status: 200, has: { routing: { gatewayId: "{hub}" } } },
    { ask: "POST /Registers/{register}/Hubs", body: { serialNumber: "{hub}" }, status: 409 },
    { ask: "POST /Registers/{register}/Hubs", body: { serialNumber: "none" }, status: 404 },
    deleted(`DELETE ${devices}/{hub}`),
    { ask: `GET ${devices}`, status: 200, lists: [] },
  ],
  "restart hub": restarted("Restart"),
  "reboot hub": restarted("Reboot"),
  "get hub users": [
    { ask: `GET ${users}`, status: 200, has: { users: [{ email: "owner@example.org", role: "OWNER" }] } },
    { ask: `GET ${users}`, as: "stranger", status: 404 },
  ],
  "invite hub user": [
    invited,
    { ask: `POST ${users}`, body: { email: "{guest}" }, status: 422 },
    { ask: `POST ${users}`, body: { role: "USER" }, status: 422 },
    { ...invited, as: "stranger", status: 404 },
  ],
  "get hub user": [
    { ask: `GET ${users}/{account}`, status: 200, has: { userId: "{account}", role: "OWNER" } },
    { ask: `GET ${users}/none`, status: 404 },
  ],
  "revoke hub user": [
    invited,
    { ask: `GET ${users}`, status: 200, keep: { invited: "users.1.userId" } },
    { ask: `DELETE ${users}/{invited}`, as: "stranger", status: 404 },
    deleted(`DELETE ${users}/{invited}`),
    { ask: `GET ${users}/{invited}`, status: 404 },
    { ask: `DELETE ${users}/{invited}`, status: 404 },
  ],
  "get all device templates": [
    {
      ask: "POST /Tenants/{account}/DeviceTemplates/{new}",
      body: { id: "{new}", displayName: "Main", content: {} },
      status: 201,
    },
    {
      ask: "GET /Registers/{register}/Templates",
      status: 200,
      has: [{ type: "{new}", defaultTemplateId: null, templates: [{ id: "{new}" }] }],
    },
    { ask: "GET /Registers/{register}/Templates", as: "stranger", status: 404 },
  ],
  "get device templates of a type": [
    {
      ask: "POST /Tenants/{account}/DeviceTemplates/{new}",
      body: { id: "{new}", displayName: "Main", content: { a: 1 }, setAsDefault: true },
      status: 201,
    },
    {
      ask: "GET /Registers/{hub}/Templates/{new}",
      status: 200,
      has: { type: "{new}", defaultTemplateId: "{new}", templates: [{ id: "{new}", content: { a: 1 } }] },
    },
    {
      ask: "GET /Registers/{register}/Templates/unknown",
      status: 200,
      is: { type: "unknown", defaultTemplateId: null, templates: [] },
    },
  ],
  "get device configuration": [
    added,
    { ask: `GET ${device}/Configuration`, status: 200, is: {} },
    { ask: `GET ${devices}/none/Configuration`, status: 404 },
    { ask: `GET ${device}/Configuration`, as: "stranger", status: 404 },
  ],
  "update device configuration": [
    added,
    { ask: `PUT ${device}/Configuration`, body: { any: { name: [1, null] }, type: "x" }, status: 200 },
    { ask: `GET ${device}/Configuration`, status: 200, is: { any: { name: [1, null] }, type: "x" } },
    { ask: `PUT ${device}/Configuration`, body: { other: 1 }, status: 200 },
    { ask: `GET ${device}/Configuration`, status: 200, is: { other: 1 } },
    { ask: `PUT ${device}/Configuration`, body: [], status: 422 },
  ],
};
