import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { accessMasks, features, type RoleName, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { admitsCommand, rowMask } from "./access.ts";
import { rows } from "./routes/index.ts";
import { type Row, row, rowName } from "./row.ts";
import { specRows } from "./spec-rows.ts";
import Type from "typebox";
import { type Client, openTestHub } from "./test-hub.ts";

const roleNames = Object.keys(roles) as RoleName[];

/** What hub-api 5.3 and the decisions say, told over again in the plainest way. */
function mayEnter(spec: Row, role: RoleName, listener: "local" | "remote"): boolean {
  if (listener === "remote") {
    if (role === "GUEST" || spec.remote === "refused") return false;
    if (spec.remote !== undefined && (roles[role] & accessMasks[spec.remote]) === 0) return false;
  }
  // A remote guest only reads; the one mixed row judges by the command.
  if (role === "REMOTE_GUEST" && spec.method !== "GET" && spec.path !== "/devices/command") return false;
  return (roles[role] & accessMasks[spec.access]) > 0;
}

const grantable = ["USER_ADMIN", "IDENTIFIED_USER", "REMOTE_GUEST", "GUEST"] as const;

const forAdmins = new Set([
  "CMD_IGNORE_DEVICE",
  "CMD_RESET_IGNORED",
  "CMD_REPLACE_DEVICE",
  "CMD_START_UPGRADE",
  "CMD_CANCEL_UPGRADE",
  "CMD_SEARCH",
  "CMD_USE_CREDENTIALS",
  "CMD_CHANGE_CREDENTIALS",
  "CMD_SCAN_WIFIS",
  "CMD_SET_WIFI",
  "CMD_CAMERA_HOST_AT_IP",
]);
const forOwners = new Set(["CMD_DEVICE_ACCESS", "CMD_DEVICE_VISIBLE", "CMD_DEVICE_LOCK"]);

/** The command types that the served rows take today, told over again. */
function maySend(type: string, role: RoleName): boolean {
  if (role === "REMOTE_GUEST") return type.startsWith("CMD_GET_");
  if (forOwners.has(type)) return role === "OWNER_ADMIN";
  if (forAdmins.has(type)) return /ADMIN/.test(role);
  return (type !== "CMD_DEVICE_META" && type !== "CMD_SCENE") || role !== "GUEST";
}

function typesOf({ body }: Row): string[] {
  const alternatives = (body as { anyOf?: Type.TSchema[] }).anyOf ?? [body];
  return alternatives.flatMap((schema) => {
    const { properties } = schema as { properties?: { type?: { const?: string } } };
    return properties?.type?.const ?? [];
  });
}

/**
 * Everything that the spec lists is tried, with handlers that answer at once where it is not served yet, so
 * that a row that comes later finds its place in the matrix.
 */
const all: readonly Row[] = specRows.map((spec) => {
  const { mixed, identifies } = rows.find((served) => rowName(served) === rowName(spec)) ?? {};
  const gates = { ...spec, ...(mixed && { mixed }), ...(identifies && { identifies }) };
  return row({ ...gates, summary: "", result: Type.Literal(true), handle: () => true as const });
});

describe("role x row x listener", () => {
  const keys = new Map<RoleName, string>();
  const apis = new Map<string, Client>();

  before(async () => {
    const hub = await openTestHub(memoryLog(), new SimulatedClock());
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [2, 14] });
    for (const listener of ["local", "remote"] as const) apis.set(listener, hub.api(listener, { rows: all }));
    keys.set("OWNER_ADMIN", await hub.sign());
    // No user of the hub is anonymous; a key may say so nevertheless.
    keys.set("ANONYMOUS", await hub.sign({ user_id: "nobody", role: roles.ANONYMOUS }));
    for (const role of ["USER_ADMIN", "IDENTIFIED_USER", "REMOTE_GUEST", "GUEST"] as const) {
      keys.set(role, (await hub.user(roles[role])).key);
    }
  });

  for (const listener of ["local", "remote"] as const) {
    for (const spec of all) {
      test(`${rowName(spec)} ${listener}`, async () => {
        const path = spec.unversioned ? `/${spec.path}` : spec.path;
        const got: Record<string, number> = {};
        const wanted: Record<string, number> = {};
        for (const role of roleNames) {
          got[role] = (await apis.get(listener)?.send(spec.method, path, keys.get(role)))?.status ?? 0;
          // An anonymous row does not look at a credential, except the one that is there to check it.
          const looked = spec.access === "ANONYMOUS" && !spec.identifies ? "ANONYMOUS" : role;
          wanted[role] = mayEnter(spec, looked, listener) ? 200 : 403;
        }
        got["none"] = (await apis.get(listener)?.send(spec.method, path))?.status ?? 0;
        const open = spec.access === "ANONYMOUS" ? 200 : 401;
        wanted["none"] = open === 200 && spec.remote === "refused" && listener === "remote" ? 403 : open;
        assert.deepEqual(got, wanted);
      });
    }
  }

  test("defines no role for odd values, and keeps lower roles out of a USER_ADMIN row", async () => {
    for (const role of [0x00, 0x10, 0x80, 0xff, 0x42])
      assert.equal(
        roleNames.some((name) => roles[name] === role),
        false,
      );
    const odd = rowMask({ method: "GET", access: "USER_ADMIN" }, "local");
    assert.equal(odd & roles.IDENTIFIED_USER, 0);
  });
});

describe("served rows", () => {
  for (const listener of ["local", "remote", "console"] as const) {
    test(`computes each row's mask for the ${listener} listener as the spec says`, () => {
      for (const served of rows) {
        const mask = rowMask(served, listener);
        if (listener === "console") {
          assert.ok((mask & accessMasks.SUPER_ADMIN) > 0, rowName(served));
          continue;
        }
        for (const role of roleNames) {
          assert.equal(
            (mask & roles[role]) > 0,
            mayEnter(served, role, listener),
            `${rowName(served)} ${role}`,
          );
        }
      }
    });
  }
});

describe("role x row x command x listener", () => {
  const keys = new Map<RoleName, string>();
  const apis = new Map<string, Client>();

  before(async () => {
    const hub = await openTestHub(memoryLog(), new SimulatedClock());
    for (const listener of ["local", "remote"] as const) apis.set(listener, hub.api(listener));
    keys.set("OWNER_ADMIN", await hub.sign());
    for (const role of grantable) keys.set(role, (await hub.user(roles[role])).key);
    await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: Object.values(features) });
  });

  for (const served of rows.filter(({ body }) => body !== undefined)) {
    for (const type of typesOf(served)) {
      for (const listener of ["local", "remote"] as const) {
        test(`${rowName(served)} ${type} ${listener}`, async () => {
          const refused: RoleName[] = [];
          const expected: RoleName[] = [];
          for (const role of ["OWNER_ADMIN", ...grantable] as const) {
            const item = { type, id: "nowhere", visible: null };
            const body = served.list === true ? [item] : item;
            const answer = await apis.get(listener)?.send(served.method, served.path, keys.get(role), body);
            if (answer?.status === 403) refused.push(role);
            else assert.ok([404, 422, 200].includes(answer?.status ?? 0), `${role} ${answer?.status}`);
            if (!mayEnter(served, role, listener) || !maySend(type, role)) expected.push(role);
          }
          assert.deepEqual(refused, expected);
        });
      }
    }
  }
});

describe("commands", () => {
  const admins = ["OWNER_ADMIN", "USER_ADMIN"] as const;
  const users = [...admins, "IDENTIFIED_USER"] as const;
  const local = [...users, "GUEST", "ANONYMOUS"] as const;
  for (const [type, fields, admitted] of [
    ["CMD_DEVICE", {}, local],
    ["CMD_DEVICE_ON", {}, local],
    ["CMD_IDENTIFY", {}, local],
    ["CMD_REFRESH_DEVICE", {}, local],
    ["CMD_SNAPSHOT", {}, local],
    ["CMD_DEVICE_META", {}, users],
    ["CMD_SCENE", {}, users],
    ["CMD_IGNORE_DEVICE", {}, admins],
    ["CMD_RESET_IGNORED", {}, admins],
    ["CMD_REPLACE_DEVICE", {}, admins],
    ["CMD_SEARCH", {}, admins],
    ["CMD_USE_CREDENTIALS", {}, admins],
    ["CMD_CHANGE_CREDENTIALS", {}, admins],
    ["CMD_SCAN_WIFIS", {}, admins],
    ["CMD_SET_WIFI", {}, admins],
    ["CMD_CAMERA_HOST_AT_IP", {}, admins],
    ["CMD_START_UPGRADE", {}, admins],
    ["CMD_CANCEL_UPGRADE", {}, admins],
    ["CMD_DEVICE_ACCESS", {}, ["OWNER_ADMIN"]],
    ["CMD_DEVICE_VISIBLE", { visible: true }, ["OWNER_ADMIN"]],
    ["CMD_DEVICE_LOCK", { locked: false }, ["OWNER_ADMIN"]],
    ["CMD_DEVICE_META", { locked: false }, ["OWNER_ADMIN"]],
    ["CMD_DEVICE_META", { locked: null, visible: null }, users],
    ["CMD_SCENE", { visible: true }, ["OWNER_ADMIN"]],
    ["CMD_GET_CD", {}, [...local, "REMOTE_GUEST"]],
    ["CMD_GET_QUEUE", {}, [...local, "REMOTE_GUEST"]],
    ["CMD_GET_AIRCON_PUMPS", {}, [...local, "REMOTE_GUEST"]],
    ["CMD_GET_FNIP_CONFIGS", {}, [...local, "REMOTE_GUEST"]],
    ["CMD_GET_UPGRADE_INFOS", {}, [...local, "REMOTE_GUEST"]],
    ["CMD_GET_UPGRADE_INFO", {}, [...local, "REMOTE_GUEST"]],
  ] as const) {
    test(`admits ${type} ${JSON.stringify(fields)} from ${admitted.join(", ")}`, () => {
      const found = roleNames.filter((role) => admitsCommand(type, fields, roles[role]));
      assert.deepEqual(found.toSorted(), [...admitted].toSorted());
      assert.equal(admitsCommand(type, fields, accessMasks.SUPER_ADMIN), true);
    });
  }
});
