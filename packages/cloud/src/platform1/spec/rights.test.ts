// Who may call which endpoint: every endpoint as every kind of caller, over HTTP. An endpoint without an expectation
// fails.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { roles } from "@ledge/model";
import { gives, type Right } from "../../graph/rights.ts";
import { graphRows } from "../../graph/rows.ts";
import { leastMessage } from "../../graph/test-messages.ts";
import type { Reply } from "../../http/test-served.ts";
import { platformScopes } from "../../model/oauth-scopes.ts";
import type { Row1 } from "../row.ts";
import { rows1 } from "../rows.ts";
import { rightsByEndpoint, type Said } from "./test-rights.ts";
import { World } from "./test-world.ts";

let world: World;
/** What the endpoints are tried at, by the names of fields. */
let known: Readonly<Record<string, unknown>>;
/** A register of the tenant, in which the hub is a gateway. */
let register: string;
before(async () => {
  world = await World.open();
  const house = await world.created("POST", `${world.group}/Resources`, {
    name: "House",
    provider: "Vendor.Sites",
  });
  register = await world.newRegister();
  const gateway = await world.call("POST", `/Registers/${register}/Hubs`, { serialNumber: world.hub.id });
  assert.equal(gateway.status, 200, gateway.text);
  await world.created("POST", `/Registers/${register}/Devices`, {
    id: "meter",
    name: "Meter",
    type: "METER",
  });
  known = {
    tenantId: world.account,
    subscriptionId: world.account,
    resourceGroupName: "things",
    resourceName: "House",
    resourceProvider: "Vendor.Sites",
    siteId: (house["properties"] as { siteId: string }).siteId,
    userId: "nobody",
    templateType: "dashboard",
    templateId: "none",
    deviceType: "LIGHT",
    targetId: "none",
    path: "none",
    email: "invitee@example.org",
    role: "USER",
    command: { type: "CMD_DEVICE_ON" },
    payload: '{"type":"CMD_DEVICE_ON"}',
    payloadType: "application/json",
  };
});
after(() => world.served.stop());

const nameOf = ({ method, path }: Row1): string => `${method} ${path}`;
const saidOf = (row: Row1): Said =>
  rightsByEndpoint.get(nameOf(row)) ?? assert.fail(`${nameOf(row)}: no expectation`);

/** Calls an endpoint with a request as small as it may be. @param registerId the register that it is tried at */
async function call(row1: Row1, token: string, registerId: string): Promise<Reply> {
  const { method, path, type, body, query, isBinary } = row1;
  const row = graphRows.find((each) => each.type === type) ?? assert.fail(type);
  // A device that nobody's home has, where the register alone counts.
  const device = registerId === register && saidOf(row1).about === "register" ? "meter" : "lamp";
  const deviceId = row.scope === "gateway" ? world.hub.id : device;
  const values = { ...known, deviceRegisterId: registerId, deviceId };
  const message: Readonly<Record<string, unknown>> = { ...leastMessage(row, values), ...values };
  const names = new Set([...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name));
  const called = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(message[name])));
  const parameters = Array.isArray(query)
    ? (query as string[]).filter((name) => message[name] !== undefined)
    : [];
  const asked = new URLSearchParams(
    Object.fromEntries(parameters.map((name) => [name, String(message[name])])),
  );
  const { type: _, ...fields } = leastMessage(row, values);
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
  const json =
    body === undefined ? undefined : body === "message" ? { ...rest, ...pick(message, type) } : message[body];
  const to = `/1.0${called}?${asked.toString()}`;
  if (isBinary) return world.served.call(method, to, { token, body: String(json) });
  return world.served.call(method, to, { token, ...(json !== undefined && { json }) });
}

/** Fields that a message may leave out, and without which it is refused before its gate. */
const pick = (message: Readonly<Record<string, unknown>>, type: string): object =>
  type === "InviteHubUserDeviceRegisterCommand" ? { email: message["email"] } : {};

const gateFields: ReadonlySet<string> = new Set(
  "tenantId subscriptionId resourceGroupName resourceName siteId deviceRegisterId deviceId".split(" "),
);

/** What a gate answers; undefined if the request has come through it. A scope is missing where one is named. */
function refusalIn({ status, json }: Reply): string | undefined {
  if (status === 401) return "401";
  if (status !== 403 && status !== 404) return undefined;
  const { detail, errors = [] } = json as { detail: string; errors?: readonly { field: string }[] };
  if (/the token lacks the scope/.test(detail)) return "scope";
  return errors.some(({ field }) => gateFields.has(field)) ? String(status) : undefined;
}

/** What deletes that at which the others are tried; it is tried refused only. */
const isLast = ({ type }: Row1): boolean =>
  [
    "DeleteSubscriptionCommand",
    "DeleteResourceGroupCommand",
    "DeleteResourceCommand",
    "RemoveDeviceDeviceRegisterCommand",
  ].includes(type);

/** Fails unless each endpoint answers a caller as it must. */
async function check(
  who: string,
  token: string,
  expected: (said: Said) => string | undefined,
  { rows = rows1, registerId = register }: { rows?: readonly Row1[]; registerId?: string } = {},
): Promise<void> {
  for (const row of rows) {
    const wanted = expected(saidOf(row));
    if (wanted === undefined && isLast(row)) continue;
    const reply = await call(row, token, registerId);
    assert.equal(refusalIn(reply), wanted, `${nameOf(row)} as ${who}: ${reply.status} ${reply.text}`);
    assert.ok(reply.status < 500 || reply.status === 503, `${nameOf(row)} as ${who}: ${reply.text}`);
  }
}

test("each endpoint has an expectation, and no other has any", () => {
  assert.deepEqual([...rightsByEndpoint.keys()].toSorted(), rows1.map(nameOf).toSorted());
});

/** What a caller with rights in the tenant, and a role at the hub, gets. */
const inTenant =
  (rights: string, role?: number) =>
  ({ about, right }: Said): string | undefined => {
    if (about === "caller") return undefined;
    if (rights === "") return about === "working" ? undefined : "404";
    if (about === "home") return gives(role, right) ? undefined : "403";
    return rights.includes(right) ? undefined : "403";
  };

/** What a token with scopes gets. */
const narrowed =
  (held: readonly string[], inner: ReturnType<typeof inTenant>) =>
  (said: Said): string | undefined =>
    said.scopes.every((scope) => held.includes(scope)) ? inner(said) : "scope";
/** All that a token for the platform may have, unless it is the operator's. */
const all = platformScopes.filter((scope) => scope !== "internal");

test("nobody is answered without a token of an account", async () => {
  const { json } = await world.served.ui("GET", "/user/hubkeys", { token: world.owner });
  const hubKey = (json as Record<string, string>)[world.hub.id] ?? assert.fail();
  for (const token of ["", "nonsense", hubKey]) await check("nobody", token, () => "401");
});

for (const [who, rights] of [
  ["stranger", ""],
  ["elsewhere", ""],
  ["reader", "R"],
  ["client reader", "R"],
  ["member", "RCA"],
  ["client member", "RCA"],
  ["coowner", "RCAO"],
  ["client coowner", "RCAO"],
] as const)
  test(`${who} gets what ${rights || "no role"} in the tenant gives, and nothing of the home`, async () => {
    const expected = who.startsWith("client") ? narrowed(all, inTenant(rights)) : inTenant(rights);
    await check(who, await world.token(who), expected);
  });

test("the owner gets all", async () => {
  await check("owner", world.owner, inTenant("RCAO", roles.OWNER_ADMIN));
  await check("owner", await world.token("access"), narrowed(all, inTenant("RCAO", roles.OWNER_ADMIN)));
});

test("a caller who works in another tenant finds nothing of this one but its name, and its homes", async () => {
  const elsewhere = (tenantId: string): Promise<Reply> => world.call("PUT", "/Tenants/Active", { tenantId });
  assert.equal((await elsewhere("acme")).status, 200);
  const late = await world.token("access later");
  const named = new Set(["PUT /Tenants/Active", "GET /Tenants/:tenantId", "GET /Tenant/:tenantId"]);
  const rest = rows1.filter((row) => !named.has(nameOf(row)));
  await check("owner elsewhere", late, narrowed(all, inTenant("")), { rows: rest });
  await check("owner elsewhere", world.owner, inTenant(""), { rows: rest });
  const homes = rest.filter((row) => saidOf(row).about === "home");
  await check("owner elsewhere", late, () => undefined, { rows: homes, registerId: world.hub.id });
  assert.equal((await elsewhere(world.account)).status, 200);
});

test("a token does what all its scopes let it do, and its account may", async () => {
  for (const scopes of [
    "platform.read",
    "platform.write",
    "devices.read",
    "devices.control",
    "platform.read platform.write",
    "platform.write devices.control",
    "platform.write devices.read",
  ]) {
    const held = scopes.split(" ");
    const token = await world.token(`access ${scopes}`);
    await check(`owner with ${scopes}`, token, narrowed(held, inTenant("RCAO", roles.OWNER_ADMIN)));
    // A minute for the next set.
    await world.served.test.clock.pass(60_000);
  }
});

test("the register of a hub admits the roles at the hub, and no role in a tenant", async () => {
  const rows = rows1.filter((row) => ["register", "home"].includes(saidOf(row).about));
  const at = { rows, registerId: world.hub.id };
  const atHub =
    (role: number | undefined) =>
    ({ right }: Said) => {
      const has = (each: Right): boolean => gives(role, each);
      return has(right) ? undefined : has("R") ? "403" : "404";
    };
  for (const who of ["stranger", "coowner", "client coowner"])
    await check(who, await world.token(who), atHub(undefined), at);
  for (const role of [roles.USER_ADMIN, roles.IDENTIFIED_USER, roles.REMOTE_GUEST, roles.GUEST]) {
    const token = await world.served.invited(world.owner, world.hub.id, `role${role}@example.org`, role);
    await check(`role ${role}`, token, atHub(role), at);
  }
  await check("owner", world.owner, atHub(roles.OWNER_ADMIN), at);
});

test("a reader of a register reaches into a home as far as the home lets them", async () => {
  for (const role of [roles.USER_ADMIN, roles.IDENTIFIED_USER, roles.REMOTE_GUEST, roles.GUEST]) {
    const email = `both${role}@example.org`;
    const token = await world.served.invited(world.owner, world.hub.id, email, role);
    const principal = world.served.accountId(email);
    const fields = { tenantId: world.account, scope: `/Tenant/${world.account}`, principal, role: "reader" };
    const given = await world.served.graph(world.owner, { type: "AssignRoleTenantCommand", ...fields });
    assert.equal(given.error, undefined);
    assert.equal(
      (await world.call("PUT", "/Tenants/Active", { tenantId: world.account }, token)).status,
      200,
    );
    await check(`reader with ${role}`, token, inTenant("R", role));
  }
});
