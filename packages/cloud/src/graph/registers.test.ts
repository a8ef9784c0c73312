import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { features, limits, roles } from "@ledge/model";
import { until } from "@ledge/testkit";
import { Served } from "../http/test-served.ts";
import { type Asked, answering } from "../relay/test-answering.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import type { GraphDevice } from "./device-object.ts";
import type { GraphResponse } from "./graph.ts";

let served: Served;
let hub: TestHub;
let owner: string;
let user: string;
let remote: string;
/** What the hub was asked: method, path, body. */
const asked: Asked[] = [];
/** What the hub answers next. */
let answer: readonly [status: number, value: unknown] = [200, true];

before(async () => {
  served = await Served.start();
  const home = await served.claimed("owner@example.org", { features: [features.REMOTE_USAGE] });
  ({ hub, owner } = home);
  user = await served.invited(owner, hub.id, "user@example.org", roles.IDENTIFIED_USER);
  remote = await served.invited(owner, hub.id, "remote@example.org", roles.REMOTE_GUEST);
  await served.dial(
    home.hubToken,
    answering(asked, () => answer),
  );
  for (const id of ["a", "b", "c", "d"]) await served.registers.set(hub.id, id, false);
  await served.registers.set(hub.id, "hidden", false, { visible: false });
});
after(() => served.stop());
beforeEach(() => {
  asked.length = 0;
  answer = [200, true];
});

type Result = GraphResponse["result"] & Readonly<Record<string, unknown>>;

const send = (token: string, type: string, fields: object = {}): Promise<Result> =>
  served.graph(token, { type, deviceRegisterId: hub.id, ...fields });
const codeOf = async (token: string, type: string, fields: object = {}): Promise<string | undefined> =>
  (await send(token, type, fields)).error?.code;
const idsIn = (result: Result): string[] => (result["data"] as GraphDevice[]).map(({ id }) => id);
const device = async (id: string): Promise<GraphDevice> =>
  (await send(owner, "GetDeviceDeviceRegisterQuery", { deviceId: id }))["device"] as GraphDevice;

describe("lists", () => {
  const list = (token: string, fields: object = {}): Promise<Result> =>
    send(token, "ListDevicesDeviceRegisterQuery", fields);

  test("go by pages, and hide from remote guests what is hidden from them", async () => {
    assert.deepEqual(idsIn(await list(owner)), ["a", "b", "c", "d", "hidden"]);
    assert.deepEqual(idsIn(await list(remote)), ["a", "b", "c", "d"]);
    const first = await list(owner, { pageSize: 2 });
    const { next } = first["links"] as { next: string };
    const second = await list(owner, { pageSize: 2, next });
    assert.deepEqual(
      [idsIn(first), idsIn(second)],
      [
        ["a", "b"],
        ["c", "d"],
      ],
    );
    const { prev } = second["links"] as { prev: string };
    assert.deepEqual(idsIn(await list(owner, { pageSize: 2, prev })), ["a", "b"]);
  });

  test("of remote guests meet each device once, however many are hidden between", async () => {
    for (let index = 0; index < 7; index++)
      await served.registers.set(hub.id, `b${index}`, false, { visible: false });
    const found: string[] = [];
    let next: string | null = null;
    do {
      const page: Result = await list(remote, { pageSize: 2, next });
      found.push(...idsIn(page));
      ({ next } = page["links"] as { next: string | null });
    } while (next !== null);
    assert.deepEqual(found, ["a", "b", "c", "d"]);
    for (let index = 0; index < 7; index++) await served.registers.remove(hub.id, `b${index}`);
  });

  test("are ordered, searched and filtered", async () => {
    assert.deepEqual(idsIn(await list(owner, { orderBy: "name", descending: true })), [
      "hidden",
      "d",
      "c",
      "b",
      "a",
    ]);
    assert.deepEqual(idsIn(await list(owner, { search: "LAMP B" })), ["b"]);
    assert.deepEqual(idsIn(await list(owner, { filters: { id: "C" } })), ["c"]);
    assert.deepEqual(
      idsIn(await list(owner, { filters: { capabilities: ["on_off"], routing: "none" } })),
      [],
    );
  });

  test("refuse wrong fields, and cursors of other lists", async () => {
    const { next } = (await list(owner, { pageSize: 1 }))["links"] as { next: string };
    for (const fields of [
      { pageSize: 0 },
      { orderBy: "model" },
      { search: "ab" },
      { search: "x".repeat(limits.searchMaxChars + 1) },
      { filters: { id: 7 } },
      { filters: [] },
      { next: "forged" },
      { next, orderBy: "name" },
      { next, filters: { id: "a" } },
      { next, prev: next },
    ])
      assert.equal(
        await codeOf(owner, "ListDevicesDeviceRegisterQuery", fields),
        "E_INVALID",
        JSON.stringify(fields),
      );
  });
});

test("a register and its devices are read by who may read the hub, hidden ones apart", async () => {
  const { register } = await send(remote, "GetDeviceRegisterQuery");
  assert.deepEqual((register as { displayName: string }).displayName, "Cabin");
  const state = await send(remote, "GetDeviceStateDeviceRegisterQuery", { deviceId: "a" });
  assert.equal((state["state"] as { isOn: boolean }).isOn, false);
  assert.equal(await codeOf(remote, "GetDeviceDeviceRegisterQuery", { deviceId: "hidden" }), "E_NOT_FOUND");
  assert.equal(await codeOf(owner, "GetDeviceDeviceRegisterQuery", { deviceId: "none" }), "E_NOT_FOUND");
  const stranger = await served.logIn("stranger@example.org");
  for (const type of ["GetDeviceRegisterQuery", "ListDevicesDeviceRegisterQuery"])
    assert.equal(await codeOf(stranger, type), "E_NOT_FOUND");
});

describe("metadata", () => {
  const update = (token: string, deviceId: string, given: object): Promise<Result> =>
    send(token, "UpdateDeviceDeviceRegisterCommand", { deviceId, device: given });

  test("is replaced whole: the name at the hub, the rest here, and read at once", async () => {
    const tags = { floor: "1" };
    const updated = await update(owner, "a", { name: "Desk", model: "M1", tags });
    assert.equal(updated.error, undefined);
    assert.deepEqual(asked, [
      ["PUT", "/cc/1.14/devices", [{ type: "CMD_DEVICE_META", id: "a", name: "Desk", room: ["hall"] }]],
    ]);
    const read = await device("a");
    assert.deepEqual(
      [read.name, read.model, read.tags, read.nativeId, read.isActive],
      ["Desk", "M1", tags, "", true],
    );
    assert.deepEqual(updated["device"], read);
    assert.deepEqual(
      idsIn(await send(owner, "ListDevicesDeviceRegisterQuery", { filters: { tags: "floor:1" } })),
      ["a"],
    );
    await update(owner, "a", { name: "Desk", manufacturer: "F" });
    const again = await device("a");
    assert.deepEqual([again.model, again.manufacturer, again.tags], ["", "F", {}]);
    assert.equal(asked.length, 1, "the hub is asked only when the name changes");
  });

  test("that is the hub's to say stays, and nothing is changed", async () => {
    const untouched = await device("b");
    for (const given of [
      { type: "SOCKET" },
      { capabilities: [] },
      { routing: { gatewayId: null, protocol: null } },
    ]) {
      const { error } = await update(owner, "b", { name: "Other", ...given });
      assert.equal(error?.code, "E_WRONG_STATE");
    }
    answer = [422, { message: "too long", errors: [{ index: 0, field: "name", message: "too long" }] }];
    const { error } = await update(owner, "b", { name: "Refused", model: "X" });
    assert.deepEqual([error?.code, error?.details?.["field"]], ["E_HUB_REFUSED", "0.name"]);
    assert.deepEqual(await device("b"), untouched);
  });

  test("is checked, and written by administrators only", async () => {
    for (const given of [
      {},
      { name: "" },
      { name: "x".repeat(limits.deviceTextChars + 1) },
      { name: "A", model: 7 },
      { name: "A", tags: { "a:b": "1" } },
      { name: "A", tags: { "": "1" } },
      { name: "A", tags: { ["k".repeat(limits.tagKeyChars + 1)]: "1" } },
      { name: "A", tags: { a: "x".repeat(limits.tagValueChars + 1) } },
      {
        name: "A",
        tags: Object.fromEntries(Array.from({ length: limits.tags + 1 }, (_, index) => [`t${index}`, ""])),
      },
    ])
      assert.equal(
        (await update(owner, "a", given)).error?.code,
        "E_INVALID",
        JSON.stringify(given).slice(0, 60),
      );
    assert.equal((await update(user, "a", { name: "Mine" })).error?.code, "E_FORBIDDEN");
    assert.equal((await update(owner, "none", { name: "A" })).error?.code, "E_NOT_FOUND");
    assert.deepEqual(asked, []);
  });

  test("is forgotten when the owner leaves the hub", async () => {
    const { kernel } = served.test.cloud;
    const own = await served.claimed("second@example.org", { features: [features.REMOTE_USAGE] });
    await served.registers.set(own.hub.id, "z", false);
    const fields = { deviceRegisterId: own.hub.id, deviceId: "z", device: { name: "Lamp z", model: "M" } };
    await served.graph(own.owner, { type: "UpdateDeviceDeviceRegisterCommand", ...fields });
    assert.ok(kernel.get("registerDevice", `${own.hub.id}/z`));
    await served.ui("DELETE", `/user/hub?hubId=${own.hub.id}`, { token: own.owner });
    await until("the end", () => kernel.get("registerDevice", `${own.hub.id}/z`) === undefined);
  });
});

describe("a configuration", () => {
  const set = (token: string, configuration: unknown, deviceId = "a"): Promise<string | undefined> =>
    codeOf(token, "SetDeviceConfigurationDeviceRegisterCommand", { deviceId, configuration });

  test("is any object up to its limit, and is read as it was written", async () => {
    const read = async (): Promise<unknown> =>
      (await send(user, "GetDeviceConfigurationDeviceRegisterQuery", { deviceId: "a" }))["configuration"];
    assert.deepEqual(await read(), {});
    const written = { interval: 5, nested: { list: [1, "two", null] } };
    assert.equal(await set(owner, written), undefined);
    assert.deepEqual(await read(), written);
    const room = limits.deviceConfigurationBytes - JSON.stringify({ text: "" }).length;
    assert.equal(await set(owner, { text: "x".repeat(room) }), undefined);
    assert.equal(await set(owner, { text: "x".repeat(room + 1) }), "E_INVALID");
    for (const wrong of [null, [], "text", 7]) assert.equal(await set(owner, wrong), "E_INVALID");
  });

  test("is set by administrators only, on devices that exist", async () => {
    assert.equal(await set(user, {}), "E_FORBIDDEN");
    assert.equal(await set(owner, {}, "none"), "E_NOT_FOUND");
  });

  test("stands sealed in the log", async () => {
    assert.equal(await set(owner, { wifi: "canary-configuration" }), undefined);
    const { kernel } = served.test.cloud;
    const logged = [...kernel.log.read()].flatMap(({ events }) => events);
    assert.ok(logged.some(({ type }) => type === "RegisterDeviceConfigured"));
    await kernel.sync();
    assert.equal(served.test.onDisk("canary-configuration"), false);
  });
});

describe("commands", () => {
  test("that a hub's register does not take are refused as such", async () => {
    const adding = { device: { id: "new", name: "New", type: "LIGHT" } };
    assert.equal(await codeOf(owner, "AddDeviceDeviceRegisterCommand", adding), "E_WRONG_STATE");
    const registering = { hub: { serialNumber: hub.id } };
    assert.equal(await codeOf(owner, "RegisterHubDeviceRegisterCommand", registering), "E_WRONG_STATE");
  });

  test("remove a device at its hub and here at once", async () => {
    await served.registers.set(hub.id, "gone", false);
    assert.equal(
      await codeOf(user, "RemoveDeviceDeviceRegisterCommand", { deviceId: "gone" }),
      "E_FORBIDDEN",
    );
    assert.equal(await codeOf(owner, "RemoveDeviceDeviceRegisterCommand", { deviceId: "gone" }), undefined);
    assert.deepEqual(asked, [["DELETE", "/cc/1.14/devices", ["gone"]]]);
    assert.equal(await codeOf(owner, "GetDeviceDeviceRegisterQuery", { deviceId: "gone" }), "E_NOT_FOUND");
  });
});

test("the users of a hub are those of its gateway device, and of no other device", async () => {
  const users = await send(owner, "ListHubUsersDeviceRegisterQuery", { deviceId: hub.id });
  assert.equal((users["users"] as object[]).length, 3);
  const gateway = { deviceId: hub.id, email: "new@example.org", role: "USER" };
  assert.equal(await codeOf(owner, "InviteHubUserDeviceRegisterCommand", gateway), undefined);
  for (const [type, fields] of [
    ["ListHubUsersDeviceRegisterQuery", {}],
    ["InviteHubUserDeviceRegisterCommand", { email: "new@example.org", role: "USER" }],
    ["RestartHubDeviceRegisterCommand", {}],
  ] as const)
    assert.equal(await codeOf(owner, type, { deviceId: "a", ...fields }), "E_NOT_FOUND", type);
  const restarted = await send(owner, "RestartHubDeviceRegisterCommand", { deviceId: hub.id });
  const { target } = restarted["operation"] as { target: object };
  assert.deepEqual(target, { deviceRegisterId: hub.id, deviceId: hub.id, hubId: hub.id });
  await until("the request", () => asked.some(([, path]) => path === "/cc/1.14/hub/restart"));
});
