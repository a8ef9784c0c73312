import { type Access, accessMasks, allows, roles, stricter } from "@ledge/model";
import type { Listener } from "./listener.ts";
import type { Row } from "./row.ts";

/** The decided access of rows whose cell in hub-api 4 is empty, by `method path`. */
export const decidedAccess = {
  "GET /scenes": { access: "GUEST" },
  "PUT /scenes": { access: "IDENTIFIED_USER" },
  "PUT /scenes/command": { access: "GUEST", remote: "IDENTIFIED_USER" },
  "PUT /rules/onConfiguration": { access: "IDENTIFIED_USER" },
  "POST /rules/proposals": { access: "IDENTIFIED_USER" },
  "GET /rules/template": { access: "USER_ADMIN", feature: "CUSTOM_RULES" },
  "GET /rules/log": { access: "USER_ADMIN", feature: "CUSTOM_RULES" },
  "POST /rules/template": { access: "USER_ADMIN", feature: "CUSTOM_RULES" },
  "DELETE /rules/template": { access: "USER_ADMIN", feature: "CUSTOM_RULES" },
  "GET /log": { access: "ANONYMOUS", remote: "refused", feature: "LOG_SERVICE" },
} as const satisfies Readonly<Record<string, Pick<Row, "access" | "remote" | "feature">>>;

/** Access that a command type needs in addition to its row's; other types need no more. */
const commandAccess: ReadonlyMap<string, Access> = new Map([
  ["CMD_DEVICE_META", "IDENTIFIED_USER"],
  ["CMD_SCENE", "IDENTIFIED_USER"],
  ["CMD_DEVICE_ACCESS", "OWNER_ADMIN"],
  ["CMD_DEVICE_VISIBLE", "OWNER_ADMIN"],
  ["CMD_DEVICE_LOCK", "OWNER_ADMIN"],
  ["CMD_IGNORE_DEVICE", "USER_ADMIN"],
  ["CMD_RESET_IGNORED", "USER_ADMIN"],
  ["CMD_REPLACE_DEVICE", "USER_ADMIN"],
  ["CMD_SEARCH", "USER_ADMIN"],
  ["CMD_USE_CREDENTIALS", "USER_ADMIN"],
  ["CMD_CHANGE_CREDENTIALS", "USER_ADMIN"],
  ["CMD_SCAN_WIFIS", "USER_ADMIN"],
  ["CMD_SET_WIFI", "USER_ADMIN"],
  ["CMD_CAMERA_HOST_AT_IP", "USER_ADMIN"],
  ["CMD_START_UPGRADE", "USER_ADMIN"],
  ["CMD_CANCEL_UPGRADE", "USER_ADMIN"],
]);

/** Access that a command needs if it carries a value in one of these fields. */
const fieldAccess: readonly (readonly [field: string, access: Access])[] = [
  ["locked", "OWNER_ADMIN"],
  ["visible", "OWNER_ADMIN"],
];

/** Commands that only read. A remote guest may send no others (hub-api 4.2 rule 5). */
const queryCommands: ReadonlySet<string> = new Set([
  "CMD_GET_CD",
  "CMD_GET_QUEUE",
  "CMD_GET_AIRCON_PUMPS",
  "CMD_GET_FNIP_CONFIGS",
  "CMD_GET_UPGRADE_INFOS",
  "CMD_GET_UPGRADE_INFO",
]);

/**
 * Returns the mask of the roles that a row admits on a listener. A remote guest may only read; a guest has
 * access on the local network only (hub-api 5.3).
 */
export function rowMask(
  row: Pick<Row, "method" | "access" | "remote" | "mixed">,
  listener: Listener,
): number {
  let access = row.access;
  let mask = 0xff;
  if (row.method !== "GET" && row.mixed !== true) mask &= ~roles.REMOTE_GUEST;
  if (listener === "remote") {
    if (row.remote === "refused") return 0;
    if (row.remote !== undefined) access = stricter(access, row.remote);
    mask &= ~roles.GUEST;
  }
  return mask & accessMasks[access];
}

/** Returns whether a role may send a command, by its type and its fields. The caller has checked the row's access. */
export function admitsCommand(
  type: string,
  command: Readonly<Record<string, unknown>>,
  role: number,
): boolean {
  if (role === roles.REMOTE_GUEST) return queryCommands.has(type);
  const access = commandAccess.get(type);
  if (access !== undefined && !allows(access, role)) return false;
  return fieldAccess.every(([field, minimum]) => (command[field] ?? null) === null || allows(minimum, role));
}
