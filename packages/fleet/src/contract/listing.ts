import assert from "node:assert/strict";
import type { ListQuery } from "../list/query.ts";
import { type FieldError, linksOf, type ListRequest, parseList } from "../list/parse.ts";
import { orders } from "../list/order.ts";
import type { RegisterStore } from "../register-store.ts";
import type { DeviceRow, RegisterDevice } from "../row.ts";
import { batchOf, rowOf, type Run } from "./rows.ts";

/** Signs the cursors of the suite. */
const key = new Uint8Array(32).fill(7);

const devices: Readonly<Record<string, Partial<RegisterDevice>>> = {
  "lamp-1": { name: "Hall", nativeId: "0x9", serialNumber: "S3", tags: { floor: "1", Owner: "Ann" } },
  "lamp-2": { name: "hall", nativeId: "0x10", type: "SWITCH", createdBy: "bea", tags: { floor: "2" } },
  "meter-1": {
    name: "Küche \u{1F4A1}",
    model: "EM-340",
    manufacturer: "Carlo",
    capabilities: ["DEVICE", "POWER"],
    routing: { gatewayId: "GW-1", protocol: "modbus" },
  },
  "meter-2": { name: "Ähre", modifiedBy: "Ann", capabilities: ["device", "ENERGY"], type: "METER" },
  "sensor-1": { name: "\uff5e wide", serialNumber: "s1" },
};

async function filled(store: RegisterStore): Promise<RegisterStore> {
  const rows = Object.entries(devices).map(([id, device]) => rowOf(id, { device }));
  const elsewhere = rowOf("lamp-0", { register: "home2", source: "hub" });
  await store.apply(batchOf([...rows, elsewhere]));
  return store;
}

function queryOf(request: ListRequest): ListQuery {
  const parsed = parseList("home", request, key);
  assert.ok("query" in parsed, JSON.stringify(parsed));
  return parsed.query;
}

async function listed(store: RegisterStore, request: ListRequest): Promise<string[]> {
  const { rows } = await store.page("home", queryOf(request));
  return rows.map(({ id }) => id);
}

/** Follows the links of a list from its first page. */
async function walk(
  store: RegisterStore,
  request: ListRequest,
  link: "next" | "prev" = "next",
): Promise<DeviceRow[][]> {
  const pages: DeviceRow[][] = [];
  let query = queryOf(request);
  for (;;) {
    const page = await store.page("home", query);
    pages.push([...page.rows]);
    const cursor = linksOf("home", query, page, key)[link];
    if (cursor === null) return pages;
    const { next: _next, prev: _prev, ...same } = request;
    query = queryOf({ ...same, [link]: cursor });
  }
}

export function listing(run: Run): void {
  run("devices of the register alone, by id", async (storage) => {
    const store = await filled(await storage.open());
    assert.deepEqual(await listed(store, {}), Object.keys(devices));
    assert.deepEqual(await store.page("none", queryOf({})), { rows: [], hasMore: false });
  });

  run("in every order, without case, and reversed", async (storage) => {
    const store = await filled(await storage.open());
    const expected = {
      id: "lamp-1 lamp-2 meter-1 meter-2 sensor-1",
      // Equal names are ordered by id; the rest by code points.
      name: "lamp-1 lamp-2 meter-1 meter-2 sensor-1",
      nativeId: "meter-1 meter-2 sensor-1 lamp-2 lamp-1",
      serialnumber: "lamp-2 meter-1 meter-2 sensor-1 lamp-1",
      type: "lamp-1 meter-1 sensor-1 meter-2 lamp-2",
      createdBy: "lamp-1 meter-1 meter-2 sensor-1 lamp-2",
      modifiedBy: "lamp-1 lamp-2 meter-1 sensor-1 meter-2",
    };
    for (const orderBy of orders) {
      assert.equal((await listed(store, { orderBy })).join(" "), expected[orderBy], orderBy);
      const reversed = (await listed(store, { orderBy, descending: true })).toReversed();
      assert.equal(reversed.join(" "), expected[orderBy], `${orderBy} descending`);
    }
  });
}

export function finding(run: Run): void {
  run("what a search finds in any one field", async (storage) => {
    const store = await filled(await storage.open());
    const found = {
      "mp-1": "lamp-1",
      HALL: "lamp-1 lamp-2",
      "0x1": "lamp-2",
      switch: "lamp-2",
      ENERG: "meter-2",
      "em-3": "meter-1",
      carlo: "meter-1",
      "gw-1": "meter-1",
      modb: "meter-1",
      bea: "lamp-2",
      "floor:1": "lamp-1",
      "\u{1F4A1}": "",
      "che \u{1F4A1}": "meter-1",
      // Not across two fields or two values.
      halllight: "",
      devicepower: "",
      "device\u0001power": "",
    };
    for (const [search, ids] of Object.entries(found)) {
      if (search.length < 3) continue;
      assert.equal((await listed(store, { search })).join(" "), ids, search);
    }
  });

  run("what matches all filters and the search", async (storage) => {
    const store = await filled(await storage.open());
    const cases: readonly [ListRequest["filters"], string][] = [
      [{ id: "LAMP-1" }, "lamp-1"],
      [{ name: "HALL" }, "lamp-1 lamp-2"],
      [{ name: "hal" }, ""],
      [{ name: "hall", type: "switch" }, "lamp-2"],
      [{ nativeId: "0X9" }, "lamp-1"],
      [{ serialNumber: "s1" }, "sensor-1"],
      [{ model: "em-340", manufacturer: "CARLO" }, "meter-1"],
      [{ routing: "gw-1" }, "meter-1"],
      [{ routing: "modbus" }, ""],
      [{ tags: "floor" }, "lamp-1 lamp-2"],
      [{ tags: ["floor:1", "owner"] }, "lamp-1"],
      [{ tags: ["floor:1", "floor:2"] }, ""],
      [{ tags: "flo" }, ""],
      [{ capabilities: ["DEVICE", "energy"] }, "meter-2"],
      [{ capabilities: "ENERG" }, ""],
      [{}, Object.keys(devices).join(" ")],
    ];
    for (const [filters, ids] of cases)
      assert.equal((await listed(store, { filters })).join(" "), ids, JSON.stringify(filters));
    assert.deepEqual(await listed(store, { filters: { name: "hall" }, search: "p-2" }), ["lamp-2"]);
    assert.deepEqual(await listed(store, { filters: { name: "hall" }, orderBy: "nativeId" }), [
      "lamp-2",
      "lamp-1",
    ]);
  });
}

export function paging(run: Run): void {
  run("each row once over pages of any size, forward and backward", async (storage) => {
    const store = await storage.open();
    const ids = Array.from({ length: 23 }, (_, at) => `d${String(at).padStart(2, "0")}`);
    // Five names, so that many devices are equal in the order.
    await store.apply(
      batchOf(ids.map((id, at) => rowOf(id, { device: { name: `N${at % 5}`, type: `T${at % 3}` } }))),
    );
    for (const orderBy of ["id", "name", "type"] as const)
      for (const descending of [false, true])
        for (const pageSize of [1, 4, 22, 23, 24]) {
          const request = { orderBy, descending, pageSize };
          const pages = await walk(store, request);
          const seen = pages.flat().map(({ id }) => id);
          const what = JSON.stringify(request);
          assert.deepEqual(seen.toSorted(), ids, what);
          assert.deepEqual(seen, await listed(store, { ...request, pageSize: 2000 }), what);
          assert.equal(pages.length, Math.ceil(23 / pageSize), what);
        }
    const first = await store.page("home", queryOf({ pageSize: 20 }));
    const next = linksOf("home", queryOf({ pageSize: 20 }), first, key).next;
    const second = queryOf({ pageSize: 20, next });
    const { prev } = linksOf("home", second, await store.page("home", second), key);
    const back = await walk(store, { pageSize: 6, prev }, "prev");
    assert.deepEqual(back.toReversed().flat(), first.rows);
  });

  run("the following devices when some came and went between two pages", async (storage) => {
    const store = await storage.open();
    await store.apply(batchOf(["b", "d", "f", "h"].map((id) => rowOf(id))));
    const query = queryOf({ pageSize: 2 });
    const { next } = linksOf("home", query, await store.page("home", query), key);
    const removals = [{ register: "home", kind: "device", id: "d" }] as const;
    await store.apply(batchOf([rowOf("a"), rowOf("e")], { after: "1", upto: "2", removals }));
    assert.deepEqual(await listed(store, { pageSize: 2, next }), ["e", "f"]);
  });

  run("nothing by a cursor of another list", async (storage) => {
    const store = await filled(await storage.open());
    const query = queryOf({ pageSize: 2, search: "lamp" });
    const page = { ...(await store.page("home", query)), hasMore: true };
    const { next } = linksOf("home", query, page, key);
    const refused = (request: ListRequest, register = "home"): readonly FieldError[] => {
      const parsed = parseList(register, { pageSize: 2, search: "lamp", next, ...request }, key);
      return "errors" in parsed ? parsed.errors : [];
    };
    assert.deepEqual(refused({ pageSize: 9, search: "LAMP" }), []);
    assert.equal(refused({}, "home2").length, 1);
    for (const other of [
      { search: "hall" },
      { orderBy: "name" },
      { descending: true },
      { filters: { id: "a" } },
    ])
      assert.deepEqual(
        refused(other).map(({ field }) => field),
        ["next"],
        JSON.stringify(other),
      );
  });
}

export function renaming(run: Run): void {
  run("devices under their new names", async (storage) => {
    const store = await storage.open();
    await store.apply(
      batchOf([rowOf("a", { device: { name: "One" } }), rowOf("b", { device: { name: "Two" } })]),
    );
    await store.apply(batchOf([rowOf("a", { device: { name: "Zwei" } })], { after: "1", upto: "2" }));
    assert.deepEqual(await listed(store, { orderBy: "name" }), ["b", "a"]);
    assert.deepEqual(await listed(store, { search: "one" }), []);
    assert.deepEqual(await listed(store, { search: "zwei" }), ["a"]);
  });

  run("names, ids and values of the greatest length", async (storage) => {
    const store = await storage.open();
    const long = "\u{1F4A1}".repeat(64);
    const rows = ["x", "y"].map((end) =>
      rowOf(`${"i".repeat(127)}${end}`, {
        register: "R".repeat(64),
        device: { name: `${long}${long}${end}` },
      }),
    );
    await store.apply(batchOf(rows));
    const query = { ...queryOf({ orderBy: "name", descending: true }) };
    const { rows: found } = await store.page("R".repeat(64), query);
    assert.deepEqual(found, rows.toReversed());
  });
}
