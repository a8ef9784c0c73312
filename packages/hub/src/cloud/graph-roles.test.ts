// Two homes and people with every role in them, through Graph: each hub decides for itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CloudProcess } from "@ledge/testkit/client";
import { CloudHome } from "../testdata/cloud-home.ts";
import { GraphClient } from "../testdata/graph-client.ts";
import { eventually } from "../testdata/hub-process.ts";

const roles = ["OWNER", "ADMIN", "USER", "REMOTEGUEST", "GUEST"] as const;
type Role = (typeof roles)[number];
type Message = Readonly<Record<string, unknown>> & { readonly type: string };

interface House {
  readonly hubId: string;
  readonly lamp: string;
  /** When its lamp had its first name. */
  readonly since: number;
}

let cottage: House;
let town: House;
let ada: GraphClient;
/** Who has this role in the cottage; in town users are remote guests, and remote guests users. */
const people = new Map<Role, GraphClient>();
const inTown: Readonly<Record<Role, Role>> = {
  OWNER: "OWNER",
  ADMIN: "ADMIN",
  USER: "REMOTEGUEST",
  REMOTEGUEST: "USER",
  GUEST: "GUEST",
};

before(async () => {
  const home = new CloudHome({ adapters: { sim: { seed: 1 } } });
  const cloud = await home.cloud();
  const hubs = [home, new CloudHome({ adapters: { sim: { seed: 2 } } })];
  for (const each of hubs) await each.claim(await each.hub(cloud.url), "owner@example.org");
  ada = await GraphClient.open(cloud.url, (await home.client(cloud, "owner@example.org")).token);
  const { data } = await ada.done({ type: "ListHubsQuery" });
  const houses = [];
  for (const { hubId } of data as { hubId: string }[]) houses.push(await houseOf(hubId));
  [cottage, town] = houses as [House, House];
  people.set("OWNER", ada);
  for (const role of roles.slice(1)) people.set(role, await invited(home, cloud, role));
});
after(() => CloudHome.end());

async function houseOf(hubId: string): Promise<House> {
  const lamp = await eventually("a lamp", async () => {
    const { value } = await ada.send({ type: "DevicesHubQuery", hubId });
    const found = Object.entries((value ?? {}) as Record<string, { name: string }>);
    return found.find(([, { name }]) => name === "Living room ceiling")?.[0];
  });
  const { value } = await ada.done({ type: "PollHubQuery", hubId, ts: 0 });
  return { hubId, lamp, since: (value as { timestamp: number }).timestamp };
}

async function invited(home: CloudHome, cloud: CloudProcess, role: Role): Promise<GraphClient> {
  const email = `${role.toLowerCase()}@example.org`;
  const { token } = await home.client(cloud, email);
  for (const [{ hubId }, of] of [
    [cottage, role],
    [town, inTown[role]],
  ] as const) {
    await ada.done({ type: "InviteUserHubCommand", hubId, email, role: of });
    const accepted = await fetch(`${cloud.url}/ui/0.2/user/invitation`, {
      method: "POST",
      headers: { authorization: token, "content-type": "application/json" },
      body: JSON.stringify({ hubId }),
    });
    assert.equal(accepted.status, 200);
  }
  return ada.as(token);
}

/** What people do in a house, and what becomes of it for each role; `ok` when it is left out. */
const acts: readonly (readonly [
  what: string,
  message: (house: House) => Message,
  refusals: Partial<Record<Role, string>>,
])[] = [
  ["reads devices", ({ hubId }) => ({ type: "DevicesHubQuery", hubId }), {}],
  [
    "controls a lamp",
    ({ hubId, lamp }) => {
      return { type: "ControlDevicesHubCommand", hubId, commands: [{ type: "CMD_DEVICE_ON", id: lamp }] };
    },
    { REMOTEGUEST: "E_HUB_REFUSED 403" },
  ],
  [
    "asks why",
    ({ hubId, lamp }) => ({ type: "WhyHubQuery", hubId, id: lamp, attribute: "isOn" }),
    { REMOTEGUEST: "E_HUB_REFUSED 403" },
  ],
  [
    "looks back",
    ({ hubId, since }) => ({ type: "DevicesHubQuery", hubId, at: since }),
    { REMOTEGUEST: "E_HUB_REFUSED 403" },
  ],
  [
    "undoes a change",
    ({ hubId, lamp }) => ({ type: "UndoHubCommand", hubId, kind: "device", id: lamp }),
    { REMOTEGUEST: "E_HUB_REFUSED 403" },
  ],
  [
    "reads the audit trail",
    ({ hubId }) => ({ type: "AuditHubQuery", hubId }),
    { USER: "E_HUB_REFUSED 403", REMOTEGUEST: "E_HUB_REFUSED 403" },
  ],
  [
    "shares the home",
    ({ hubId }) => ({ type: "SetShareHubCommand", hubId, share: "states" }),
    { ADMIN: "E_FORBIDDEN", USER: "E_FORBIDDEN", REMOTEGUEST: "E_FORBIDDEN" },
  ],
];

test("each person sees the hubs that they may read, with their role there", async () => {
  for (const [role, person] of people) {
    const { data } = await person.done({ type: "ListHubsQuery" });
    const seen = new Map((data as { hubId: string; role: Role }[]).map((hub) => [hub.hubId, hub.role]));
    const expected = role === "GUEST" ? [] : [role, inTown[role]];
    assert.deepEqual([seen.get(cottage.hubId), seen.get(town.hubId)].filter(Boolean), expected);
  }
});

for (const [what, message, refusals] of acts) {
  test(`${what} in each house as the role there allows`, async () => {
    for (const [role, person] of people) {
      for (const [house, as] of [
        [cottage, role],
        [town, inTown[role]],
      ] as const) {
        const { hubId, lamp } = house;
        const renamed = { type: "CMD_DEVICE_META", id: lamp, name: `${what} ${role}` };
        await ada.done({ type: "SaveDevicesHubCommand", hubId, devices: [renamed] });
        const { error } = await person.send(message(house));
        const status = error?.details?.["status"];
        const got = error === undefined ? "ok" : [error.code, ...(status ? [status] : [])].join(" ");
        const expected = as === "GUEST" ? "E_NOT_FOUND" : (refusals[as] ?? "ok");
        assert.equal(got, expected, `${as}: ${JSON.stringify(error)}`);
      }
    }
  });
}

test("a lamp that is switched in one house stays as it is in the other", async () => {
  const user = people.get("USER") ?? assert.fail();
  const isOn = async ({ hubId, lamp }: House): Promise<boolean> => {
    const { value } = await ada.done({ type: "DevicesHubQuery", hubId });
    return (value as Record<string, { state: { isOn: boolean } }>)[lamp]?.state.isOn ?? assert.fail();
  };
  const send = (person: GraphClient, { hubId, lamp }: House, type: string): Promise<unknown> =>
    person.done({ type: "ControlDevicesHubCommand", hubId, commands: [{ type, id: lamp }] });
  for (const house of [cottage, town]) await send(ada, house, "CMD_DEVICE_OFF");
  for (const house of [cottage, town])
    await eventually("darkness", async () => !(await isOn(house)) || undefined);
  await send(user, cottage, "CMD_DEVICE_ON");
  await eventually("light", async () => (await isOn(cottage)) || undefined);
  assert.equal(await isOn(town), false);
  const elsewhere = { hubId: town.hubId, commands: [{ type: "CMD_DEVICE_ON", id: cottage.lamp }] };
  const { error } = await ada.send({ type: "ControlDevicesHubCommand", ...elsewhere });
  assert.deepEqual([error?.code, error?.details?.["status"]], ["E_HUB_REFUSED", "404"]);
});
