import { listFilters, orders, textFilters } from "@ledge/fleet";
import { limits } from "@ledge/model";
import Type from "typebox";
import { registerDeviceId } from "../model/register-device.ts";
import { resourceId } from "../model/resource-id.ts";
import { reportedState } from "../registers/reported-state.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { deviceObject, GraphDevice, ofDevice } from "./device-object.ts";
import { Failed } from "./errors.ts";
import { mustHave } from "./register-device.ts";
import { roleIn } from "./register-target.ts";
import { resourceIdOf } from "./hub-object.ts";
import { GraphUser, userFields, userOf, usersOf } from "./hub-users.ts";
import { row } from "./row.ts";
import { plainName } from "../mail/shown-name.ts";

/** A device register (platform-api 1). */
const GraphRegister = Type.Object({
  deviceRegisterId: Type.String(),
  displayName: Type.String(),
  /** The hub whose register it is; absent for a register of a tenant. */
  hubId: Type.Optional(Type.String()),
  resourceId: Type.String(),
});

/** Filters compare without case; a device must match all of them. */
const Filter = Type.Optional(Type.String({ maxLength: limits.filterChars }));
const Filters = Type.Optional(
  Type.Union([
    Filter,
    Type.Array(Type.String({ maxLength: limits.filterChars }), { maxItems: limits.filterValues }),
  ]),
);
const listFields = {
  ...pageFields,
  orderBy: Type.Optional(Type.Enum([...orders])),
  descending: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ minLength: limits.searchMinChars, maxLength: limits.searchMaxChars })),
  filters: Type.Optional(
    Type.Object({ ...fieldsOf(textFilters, Filter), ...fieldsOf(listFilters, Filters) }),
  ),
};

/** Types that read a device register. */
export const registerRows = [
  row({
    type: "GetDeviceRegisterQuery",
    summary: "Returns a device register",
    scope: "register",
    right: "R",
    result: { register: GraphRegister },
    handle({ target, parts }) {
      const { registerId: deviceRegisterId, own, hub } = target;
      if (own !== undefined) {
        const { subscription, group, name } = own.place;
        const id = resourceId(subscription, group, "Vendor.DeviceRegister", name);
        return { register: { deviceRegisterId, displayName: own.about.displayName, resourceId: id } };
      }
      const { hubId, registration } = hub;
      const displayName = plainName(registration.name ?? "Ledge");
      return { register: { deviceRegisterId, displayName, hubId, resourceId: resourceIdOf(hubId, parts) } };
    },
  }),
  row({
    type: "ListDevicesDeviceRegisterQuery",
    summary: "Lists the devices of a register",
    scope: "register",
    right: "R",
    fields: listFields,
    result: pageOf(GraphDevice),
    async handle({ fields, target, parts }) {
      const page = await parts.registers.devices(target.registerId, fields, roleIn(target));
      return page instanceof Failed ? page : { data: page.rows.map(deviceObject), links: page.links };
    },
  }),
  row({
    type: "GetDeviceDeviceRegisterQuery",
    summary: "Returns the metadata of a device",
    scope: "register",
    right: "R",
    fields: ofDevice,
    result: { device: GraphDevice },
    async handle(call) {
      const found = await mustHave(call.fields.deviceId, call);
      return found instanceof Failed ? found : { device: deviceObject(found) };
    },
  }),
  row({
    type: "GetDeviceStateDeviceRegisterQuery",
    summary: "Returns the state that a device has last reported",
    scope: "register",
    right: "R",
    fields: ofDevice,
    result: {
      /** As the hub serves it; null when none was reported. */
      state: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
      /** When the device last changed (ms), by its hub's clock. */
      timestamp: Type.Integer(),
    },
    async handle(call) {
      const found = await mustHave(call.fields.deviceId, call);
      if (found instanceof Failed) return found;
      return { state: reportedState(found), timestamp: found.timestamp };
    },
  }),
  row({
    type: "GetDeviceConfigurationDeviceRegisterQuery",
    summary: "Returns the free-form configuration of a device",
    scope: "register",
    right: "R",
    fields: ofDevice,
    result: { configuration: Type.Record(Type.String(), Type.Unknown()) },
    async handle(call) {
      const found = await mustHave(call.fields.deviceId, call);
      if (found instanceof Failed) return found;
      const id = registerDeviceId(found.register, found.id);
      const { configuration = {} } = call.parts.cloud.kernel.get("registerDevice", id) ?? {};
      return { configuration: { ...configuration } };
    },
  }),
  row({
    type: "ListHubUsersDeviceRegisterQuery",
    summary: "Lists the users of a gateway device's hub; who may not administer it gets only themselves",
    scope: "gateway",
    right: "R",
    result: { users: Type.Array(GraphUser) },
    handle: usersOf,
  }),
  row({
    type: "GetHubUserDeviceRegisterQuery",
    summary: "Returns a user of a gateway device's hub: any for who may administer it, else oneself",
    scope: "gateway",
    right: "R",
    fields: userFields,
    result: { user: GraphUser },
    handle: (call) => userOf(call.fields.userId, call),
  }),
];

/** Returns fields of one kind. */
function fieldsOf<Name extends string, Kind extends Type.TSchema>(
  names: readonly Name[],
  kind: Kind,
): Record<Name, Kind> {
  return Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>;
}
