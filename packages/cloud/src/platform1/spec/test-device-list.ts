// The rules of the list of devices (platform-api 4.4).
import type { Chapter, Step } from "./test-steps.ts";

const devices = "/Registers/{register}/Devices";
const add = (id: string, more: object = {}, as = "owner"): Step => ({
  ask: `POST ${devices}`,
  body: { id, name: id, type: "METER", ...more },
  as,
  status: 201,
});
const found = (query: string, ...lists: string[]): Step => ({
  ask: `GET ${devices}?${query}`,
  status: 200,
  lists,
});
const refused = (query: string): Step => ({ ask: `GET ${devices}?${query}`, status: 422 });

const said = [
  add("d-1", { name: "B", nativeId: "c", serialNumber: "b", type: "c" }),
  add("d-2", { name: "C", nativeId: "a", serialNumber: "c", type: "a" }),
  add("d-3", { name: "A", nativeId: "b", serialNumber: "a", type: "b" }),
];
const orders = {
  id: ["d-1", "d-2", "d-3"],
  name: ["d-3", "d-1", "d-2"],
  nativeId: ["d-2", "d-3", "d-1"],
  serialnumber: ["d-3", "d-1", "d-2"],
  type: ["d-2", "d-3", "d-1"],
} as const;

/** For each field that is searched: its value in a device, and the word that finds the device. */
const words: Readonly<Record<string, readonly [more: object, word: string]>> = {
  name: [{ name: "My Alpha lamp" }, "ALPHA"],
  type: [{ type: "BRAVO_METER" }, "bravo"],
  capabilities: [{ capabilities: ["ON_OFF", "CHARLIE"] }, "charlie"],
  gateway: [{ routing: { gatewayId: "delta-9", protocol: null } }, "delta"],
  protocol: [{ routing: { gatewayId: null, protocol: "echobus" } }, "echo"],
  nativeId: [{ nativeId: "0xfoxtrot" }, "foxtrot"],
  serialNumber: [{ serialNumber: "S-golf-1" }, "golf"],
  model: [{ model: "hotel 3" }, "hotel"],
  manufacturer: [{ manufacturer: "india ltd" }, "india"],
  tags: [{ tags: { juliett: "kilo" } }, "kilo"],
};
/** For each filter: its value, with another case where that counts for nothing. */
const filters: Readonly<Record<string, string>> = {
  id: "HIT",
  name: "alpha",
  type: "METER-A",
  nativeId: "N-1",
  serialNumber: "s-1",
  model: "M-1",
  manufacturer: "f-1",
  routing: "gate",
  tags: "floor:1",
  capabilities: "ON_OFF",
};
const hit = add("hit", {
  name: "Alpha",
  type: "meter-a",
  nativeId: "n-1",
  serialNumber: "S-1",
  model: "m-1",
  manufacturer: "F-1",
  routing: { gatewayId: "gate", protocol: null },
  tags: { floor: "1", side: "north" },
  capabilities: ["ON_OFF", "METERING"],
});
const miss = add("miss", { tags: { floor: "2", side: "north" }, capabilities: ["METERING"] });

export const deviceList: Chapter = {
  "a page has 50 devices when no size is said, and the others follow by the cursor next": [
    ...Array.from({ length: 52 }, (_, index) => add(`many-${100 + index}`)),
    {
      ask: `GET ${devices}`,
      status: 200,
      count: 50,
      at: { "data.0.id": "many-100" },
      keep: { next: "links.next" },
    },
    {
      ask: `GET ${devices}?next={next}`,
      status: 200,
      lists: ["many-150", "many-151"],
      has: { links: { next: null } },
      keep: { prev: "links.prev" },
    },
    { ask: `GET ${devices}?prev={prev}`, status: 200, count: 50, at: { "data.49.id": "many-149" } },
    { ask: `GET ${devices}?pageSize=2000`, status: 200, count: 52 },
    refused("next=none"),
    refused("next={next}&prev={prev}"),
  ],
  "the order is that of ids when none is said": [
    add("ccc"),
    add("aaa"),
    add("bbb"),
    found("", "aaa", "bbb", "ccc"),
  ],
  "lists are ordered by id, name, nativeId, serialnumber and type": [
    ...said,
    ...Object.entries(orders).map(([order, ids]) => found(`orderBy=${order}`, ...ids)),
    refused("orderBy=model"),
    refused("orderBy=createdAt"),
  ],
  "lists are ordered by who has created and modified a device": [
    add("d-1"),
    add("d-2", {}, "member"),
    add("d-3"),
    { ask: `GET ${devices}?orderBy=createdBy`, status: 200, at: { "data.1.createdBy": "{account}" } },
    { ask: `PUT ${devices}/d-2`, body: { name: "two" }, status: 200 },
    { ask: `GET ${devices}?orderBy=modifiedBy`, status: 200, lists: ["d-1", "d-2", "d-3"] },
    { ask: `PUT ${devices}/d-2`, body: { name: "second" }, as: "member", status: 200 },
    { ask: `GET ${devices}?orderBy=modifiedBy`, status: 200, at: { "data.1.modifiedBy": "{account}" } },
  ],
  "descending reverses the order": [
    ...said,
    ...Object.entries(orders).flatMap(([order, ids]) => [
      found(`orderBy=${order}&descending=true`, ...ids.toReversed()),
      found(`orderBy=${order}&descending=false`, ...ids),
    ]),
    found("descending=true", "d-3", "d-2", "d-1"),
    refused("descending=yes"),
  ],
  "a search looks in every field except times": [
    ...Object.entries(words).map(([field, [more]]) => add(`of-${field.toLowerCase()}`, more)),
    ...Object.entries(words).map(([field, [, word]]) => found(`search=${word}`, `of-${field.toLowerCase()}`)),
    found("search=f-nat", "of-nativeid"),
    { ask: `GET ${devices}/of-name`, status: 200, keep: { time: "createdAt" } },
    found("search={time}"),
  ],
  "each filter finds the devices with its value": [
    hit,
    miss,
    ...Object.entries(filters).map(([name, value]) => found(`${name}=${value}`, "hit")),
    found("tags=side", "hit", "miss"),
    ...Object.keys(filters).map((name) => found(`${name}=none`)),
  ],
  "tags and capabilities are repeated, and a device has all of them": [
    hit,
    miss,
    found("tags=side&tags=floor:2", "miss"),
    found("tags=floor:1&tags=floor:2"),
    found("capabilities=METERING", "hit", "miss"),
    found("capabilities=METERING&capabilities=ON_OFF", "hit"),
  ],
  "a device matches all filters and the search": [
    hit,
    miss,
    found(new URLSearchParams({ ...filters, search: "ALPHA" }).toString(), "hit"),
    found("name=alpha&model=none"),
    found("tags=side&search=alpha", "hit"),
    found("name=miss&search=alpha"),
  ],
};
