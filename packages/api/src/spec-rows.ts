import type { Access, Feature } from "@ledge/model";
import { decidedAccess } from "./access.ts";
import type { Method } from "./row.ts";

/** What hub-api 4 says of an endpoint. */
export interface SpecRow {
  readonly method: Method;
  readonly path: string;
  /** Access minimum, and the relay's where that is another. Cells that the spec leaves open are decided. */
  readonly access: Access;
  readonly remote?: Access | "refused";
  readonly feature?: Feature;
  readonly since?: string;
  readonly unversioned?: true;
}

type Facts = Omit<SpecRow, "method" | "path" | "access">;
type Line = readonly [access: Access | null, method: Method, path: string, facts?: Facts];

const latest = { since: "1.14.15" } as const;
const customRules = { feature: "CUSTOM_RULES" } as const;
const remoteUser = { remote: "IDENTIFIED_USER" } as const;

/** The tables 4.1 to 4.9 in their order; null where a cell is open. */
const lines: readonly Line[] = [
  // 4.1
  ["ANONYMOUS", "GET", "/hub", { unversioned: true }],
  ["ANONYMOUS", "GET", "/hub/keycheck"],
  ["ANONYMOUS", "POST", "/hub/claim", { remote: "refused" }],
  ["USER_ADMIN", "PUT", "/hub/name"],
  ["GUEST", "GET", "/hub/poll"],
  ["GUEST", "GET", "/hub/colors"],
  ["GUEST", "POST", "/hub/colors"],
  ["GUEST", "DELETE", "/hub/colors"],
  ["USER_ADMIN", "POST", "/hub/zigbeechannel"],
  ["USER_ADMIN", "POST", "/hub/zigbeepower"],
  ["GUEST", "GET", "/hub/zigbeestatus"],
  ["USER_ADMIN", "POST", "/hub/zigbeesettings"],
  ["USER_ADMIN", "GET", "/hub/zigbeescan"],
  ["USER_ADMIN", "POST", "/hub/pairbridge"],
  ["USER_ADMIN", "POST", "/hub/pairaircon"],
  ["USER_ADMIN", "POST", "/hub/lockconfig"],
  ["GUEST", "GET", "/hub/users"],
  ["GUEST", "GET", "/hub/tz"],
  ["USER_ADMIN", "PUT", "/hub/tz"],
  ["ANONYMOUS", "GET", "/hub/housetypes"],
  ["GUEST", "GET", "/hub/housetype"],
  ["USER_ADMIN", "PUT", "/hub/housetype"],
  ["GUEST", "GET", "/hub/timezones"],
  ["USER_ADMIN", "GET", "/hub/433devices"],
  ["USER_ADMIN", "POST", "/hub/pair433"],
  ["USER_ADMIN", "GET", "/hub/scan"],
  ["USER_ADMIN", "PUT", "/hub/scan"],
  ["USER_ADMIN", "GET", "/hub/stopscan"],
  ["GUEST", "GET", "/hub/features"],
  ["USER_ADMIN", "POST", "/hub/activatefeature"],
  ["USER_ADMIN", "POST", "/hub/pairIp"],
  ["USER_ADMIN", "POST", "/hub/protocolconfig"],
  ["USER_ADMIN", "GET", "/hub/serialports"],
  ["USER_ADMIN", "POST", "/hub/serialport"],
  ["USER_ADMIN", "GET", "/hub/sync"],
  ["USER_ADMIN", "GET", "/hub/restart"],
  ["USER_ADMIN", "GET", "/hub/reboot"],
  ["USER_ADMIN", "GET", "/hub/shutdown", latest],
  ["SUPER_ADMIN", "POST", "/hub/remotepair", latest],
  ["USER_ADMIN", "PUT", "/hub/autoconfig"],
  // 4.2
  ["GUEST", "GET", "/devices"],
  ["IDENTIFIED_USER", "PUT", "/devices"],
  ["USER_ADMIN", "DELETE", "/devices"],
  ["GUEST", "PUT", "/devices/command"],
  ["GUEST", "PUT", "/devices/preset", remoteUser],
  ["USER_ADMIN", "GET", "/devices/configuration"],
  ["USER_ADMIN", "PUT", "/devices/configuration"],
  ["USER_ADMIN", "DELETE", "/devices/configuration"],
  // 4.3
  ["GUEST", "GET", "/groups"],
  ["IDENTIFIED_USER", "PUT", "/groups"],
  ["GUEST", "PUT", "/groups/command", remoteUser],
  ["IDENTIFIED_USER", "DELETE", "/groups"],
  // 4.4
  ["GUEST", "GET", "/rules"],
  ["IDENTIFIED_USER", "PUT", "/rules"],
  ["IDENTIFIED_USER", "PUT", "/rules/command"],
  ["IDENTIFIED_USER", "DELETE", "/rules"],
  ["GUEST", "GET", "/rules/templates"],
  [null, "GET", "/rules/template", customRules],
  [null, "GET", "/rules/log", customRules],
  [null, "POST", "/rules/template", customRules],
  [null, "DELETE", "/rules/template", customRules],
  [null, "PUT", "/rules/onConfiguration"],
  [null, "POST", "/rules/proposals"],
  // 4.5
  [null, "GET", "/scenes"],
  [null, "PUT", "/scenes"],
  [null, "PUT", "/scenes/command", remoteUser],
  ["IDENTIFIED_USER", "DELETE", "/scenes"],
  // 4.6
  ["GUEST", "GET", "/rooms"],
  ["IDENTIFIED_USER", "PUT", "/rooms"],
  ["IDENTIFIED_USER", "PUT", "/rooms/order"],
  ["IDENTIFIED_USER", "DELETE", "/rooms"],
  // 4.7
  ["GUEST", "GET", "/alarms"],
  ["IDENTIFIED_USER", "PUT", "/alarms/close"],
  ["IDENTIFIED_USER", "DELETE", "/alarms"],
  // 4.8
  ["USER_ADMIN", "GET", "/bacnet/settings"],
  ["USER_ADMIN", "POST", "/bacnet/settings"],
  ["USER_ADMIN", "POST", "/bacnet/defaultsettings"],
  ["USER_ADMIN", "GET", "/bacnet/localdevicetypes"],
  ["USER_ADMIN", "GET", "/bacnet/objecttypes"],
  ["USER_ADMIN", "POST", "/bacnet/device"],
  ["USER_ADMIN", "POST", "/bacnet/scan"],
  ["USER_ADMIN", "GET", "/bacnet/devices"],
  ["USER_ADMIN", "POST", "/bacnet/pair"],
  // 4.9
  [null, "GET", "/log", { feature: "LOG_SERVICE" }],
];

/** Every endpoint of the spec, open cells filled in as decided. */
export const specRows: readonly SpecRow[] = lines.map(([access, method, path, facts]) => {
  if (access !== null) return { method, path, access, ...facts };
  const name = `${method} ${path}`;
  if (!isDecided(name)) throw new Error(`nobody has decided who may ${name}`);
  return { method, path, ...decidedAccess[name], ...facts };
});

/** Names of the rows that have an open cell. */
export const openRows: readonly string[] = lines
  .filter(([access]) => access === null)
  .map(([, method, path]) => `${method} ${path}`);

/** What is served beyond the spec. */
export const additiveRows: readonly SpecRow[] = [
  { method: "GET", path: "/hub/location", access: "USER_ADMIN" },
  { method: "PUT", path: "/hub/location", access: "USER_ADMIN" },
  { method: "GET", path: "/hub/health", access: "USER_ADMIN" },
  { method: "POST", path: "/hub/backup", access: "OWNER_ADMIN", remote: "refused" },
  { method: "GET", path: "/hub/backups", access: "OWNER_ADMIN", remote: "refused" },
  { method: "GET", path: "/hub/backup", access: "OWNER_ADMIN", remote: "refused" },
  { method: "GET", path: "/hub/update", access: "USER_ADMIN" },
  { method: "POST", path: "/hub/update", access: "OWNER_ADMIN" },
  { method: "GET", path: "/hub/sharing", access: "OWNER_ADMIN", feature: "EVENTS" },
  { method: "PUT", path: "/hub/sharing", access: "OWNER_ADMIN", feature: "EVENTS" },
  { method: "GET", path: "/hub/featureswitches", access: "USER_ADMIN" },
  { method: "PUT", path: "/hub/featureswitches", access: "USER_ADMIN" },
  { method: "GET", path: "/hub/messagetargets", access: "USER_ADMIN", feature: "PN_MESSAGING" },
  { method: "PUT", path: "/hub/messagetargets", access: "USER_ADMIN", feature: "PN_MESSAGING" },
  { method: "DELETE", path: "/hub/messagetargets", access: "USER_ADMIN", feature: "PN_MESSAGING" },
  { method: "POST", path: "/hub/messagetargets/test", access: "USER_ADMIN", feature: "PN_MESSAGING" },
  { method: "GET", path: "/hub/mqtt", access: "OWNER_ADMIN", feature: "MQTT" },
  { method: "PUT", path: "/hub/mqtt", access: "OWNER_ADMIN", feature: "MQTT" },
  { method: "DELETE", path: "/hub/mqtt", access: "OWNER_ADMIN", feature: "MQTT" },
  { method: "GET", path: "/hub/autoconfig", access: "USER_ADMIN" },
  { method: "PUT", path: "/hub/autoconfig/undo", access: "USER_ADMIN" },
  { method: "GET", path: "/hub/sticks", access: "USER_ADMIN" },
  { method: "POST", path: "/hub/stick", access: "USER_ADMIN" },
  { method: "DELETE", path: "/hub/stick", access: "USER_ADMIN" },
  { method: "GET", path: "/notifications", access: "USER_ADMIN" },
  { method: "GET", path: "/hub/prices", access: "GUEST" },
  { method: "GET", path: "/hub/zigbeemap", access: "USER_ADMIN" },
  { method: "POST", path: "/hub/zigbeeimport", access: "USER_ADMIN" },
  { method: "PUT", path: "/hub/users", access: "OWNER_ADMIN" },
  { method: "DELETE", path: "/hub/users", access: "OWNER_ADMIN" },
  { method: "PUT", path: "/hub/users/profile", access: "GUEST" },
  { method: "GET", path: "/hub/users/preferences", access: "GUEST" },
  { method: "PUT", path: "/hub/users/preferences", access: "GUEST" },
  { method: "GET", path: "/hub/preferences", access: "GUEST" },
  { method: "PUT", path: "/hub/preferences", access: "USER_ADMIN" },
  { method: "GET", path: "/hub/login", access: "ANONYMOUS", remote: "refused" },
  { method: "POST", path: "/hub/setup", access: "ANONYMOUS", remote: "refused" },
  { method: "POST", path: "/hub/logins", access: "ANONYMOUS", remote: "refused" },
  { method: "GET", path: "/hub/logins", access: "IDENTIFIED_USER", remote: "refused" },
  { method: "POST", path: "/hub/logins/approve", access: "IDENTIFIED_USER", remote: "refused" },
  { method: "POST", path: "/hub/logins/poll", access: "ANONYMOUS", remote: "refused" },
  { method: "GET", path: "/hub/keys", access: "GUEST" },
  { method: "DELETE", path: "/hub/keys", access: "GUEST" },
  { method: "POST", path: "/hub/keys/renew", access: "GUEST", remote: "refused" },
  { method: "GET", path: "/devices/history", access: "IDENTIFIED_USER", feature: "VIEW_HISTORY" },
  { method: "POST", path: "/devices/history", access: "IDENTIFIED_USER", feature: "VIEW_HISTORY" },
  { method: "PUT", path: "/devices/execute", access: "IDENTIFIED_USER" },
  { method: "GET", path: "/devices/outcome", access: "IDENTIFIED_USER" },
  { method: "GET", path: "/devices/network", access: "USER_ADMIN" },
  { method: "GET", path: "/scenes/outcome", access: "IDENTIFIED_USER" },
  { method: "GET", path: "/zones", access: "GUEST" },
  { method: "PUT", path: "/zones", access: "IDENTIFIED_USER" },
  { method: "DELETE", path: "/zones", access: "IDENTIFIED_USER" },
  { method: "POST", path: "/rules/whatif", access: "IDENTIFIED_USER" },
  { method: "GET", path: "/why", access: "IDENTIFIED_USER" },
  { method: "GET", path: "/timeline", access: "IDENTIFIED_USER" },
  { method: "GET", path: "/rules/diagram", access: "IDENTIFIED_USER" },
  { method: "POST", path: "/rules/diagram", access: "USER_ADMIN", feature: "CUSTOM_RULES" },
  { method: "GET", path: "/events", access: "USER_ADMIN" },
  { method: "GET", path: "/apidoc", access: "ANONYMOUS", unversioned: true },
  { method: "GET", path: "/healthz", access: "ANONYMOUS", unversioned: true },
  { method: "GET", path: "/metrics", access: "USER_ADMIN", unversioned: true },
  { method: "GET", path: "/", access: "ANONYMOUS", remote: "refused", unversioned: true },
  { method: "GET", path: "/ui/:file", access: "ANONYMOUS", remote: "refused", unversioned: true },
  { method: "POST", path: "/undo", access: "IDENTIFIED_USER" },
  { method: "GET", path: "/audit", access: "USER_ADMIN" },
];

function isDecided(name: string): name is keyof typeof decidedAccess {
  return Object.hasOwn(decidedAccess, name);
}
