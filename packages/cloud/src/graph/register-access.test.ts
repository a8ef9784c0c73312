// Who reaches into a home through a register of a tenant: every type about a gateway's devices, as every pair of a
// role in the tenant and a role at the hub.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { features, roles } from "@ledge/model";
import { Served } from "../http/test-served.ts";
import { type Asked, answering } from "../relay/test-answering.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import { gives, type Right } from "./rights.ts";
import { graphRows } from "./rows.ts";
import { leastMessage } from "./test-messages.ts";
import { TestTenant } from "./test-tenant.ts";

let served: Served;
let tenant: TestTenant;
let hub: TestHub;
let deviceRegisterId: string;
const asked: Asked[] = [];
before(async () => {
  served = await Served.start();
  tenant = await TestTenant.open(served, "owner@example.org");
  const claimed = await served.claimed("owner@example.org", { features: [features.REMOTE_USAGE] });
  ({ hub } = claimed);
  deviceRegisterId = await tenant.createRegister("Homes");
  await served.dial(
    claimed.hubToken,
    answering(asked, () => [200, null]),
  );
  const gateway = { deviceRegisterId, hub: { serialNumber: hub.id } };
  await tenant.send("RegisterHubDeviceRegisterCommand", gateway);
  await served.registers.has(deviceRegisterId, hub.id);
  await served.registers.setIn(hub.id, deviceRegisterId, "lamp", false);
});
after(() => served.stop());

const tenantRoles = { none: "", reader: "R", contributor: "RCA", owner: "RCAO" } as const;
const hubRoles = [
  undefined,
  roles.GUEST,
  roles.REMOTE_GUEST,
  roles.IDENTIFIED_USER,
  roles.USER_ADMIN,
] as const;

/** Types that reach into the home, and the right to the hub that each of them needs. */
const reaching: readonly (readonly [type: string, right: Right, fields?: object])[] = [
  ["SendDeviceRegisterCommand", "C", { deviceId: "lamp", command: { type: "CMD_DEVICE_ON" } }],
  ["ExecuteDeviceRegisterCommand", "C", { deviceId: "lamp", command: { type: "CMD_DEVICE_ON" } }],
  ["ListHubUsersDeviceRegisterQuery", "R"],
  ["GetHubUserDeviceRegisterQuery", "R"],
  ["RevokeHubUserDeviceRegisterCommand", "R"],
  ["InviteHubUserDeviceRegisterCommand", "A", { email: "new@example.org", role: "USER" }],
  ["RestartHubDeviceRegisterCommand", "A"],
  ["RebootHubDeviceRegisterCommand", "A"],
];

test("the list has every type about a gateway, and those that command devices", () => {
  const all = graphRows.filter(
    ({ scope, right }) => scope === "gateway" || (scope === "register" && right === "C"),
  );
  assert.deepEqual(all.map(({ type }) => type).toSorted(), reaching.map(([type]) => type).toSorted());
});

test("a type that reaches into a home needs the register to be read, and its right at the hub", async () => {
  for (const [name, rights] of Object.entries(tenantRoles))
    for (const role of hubRoles) {
      const email = `${name}${role ?? "nobody"}@example.org`;
      const token =
        role === undefined
          ? await served.logIn(email)
          : await served.invited(tenant.token, hub.id, email, role);
      const account = served.accountId(email);
      if (rights !== "") await tenant.assign(account, name);
      for (const [type, right, fields = {}] of reaching) {
        const row = graphRows.find((each) => each.type === type) ?? assert.fail(type);
        const known = { deviceRegisterId, deviceId: hub.id, userId: "nobody", ...fields };
        const isAllowed = rights !== "" && gives(role, right);
        // What an administrator may do would change the hub.
        if (isAllowed && right === "A") continue;
        const { error } = await served.graph(token, { ...leastMessage(row, known), ...fields });
        const expected = rights === "" ? "E_NOT_FOUND" : isAllowed ? undefined : "E_FORBIDDEN";
        // What a handler finds wrong is named otherwise.
        const isGate = ["deviceRegisterId", "deviceId"].includes(error?.details?.["field"] ?? "");
        const found = isGate ? error?.code : undefined;
        assert.equal(found, expected, `${type} as ${name} with ${role}: ${JSON.stringify(error)}`);
      }
    }
});

test("another tenant's owner learns nothing of the register, with whatever role at the hub", async () => {
  const other = await TestTenant.open(served, "elsewhere@example.org");
  await served.invited(tenant.token, hub.id, "elsewhere@example.org", roles.USER_ADMIN);
  for (const row of graphRows.filter(({ scope }) => scope === "register" || scope === "gateway")) {
    const known = { deviceRegisterId, deviceId: hub.id };
    const { error } = await served.graph(other.token, leastMessage(row, known));
    assert.deepEqual([error?.code, error?.details?.["field"]], ["E_NOT_FOUND", "deviceRegisterId"], row.type);
  }
});
