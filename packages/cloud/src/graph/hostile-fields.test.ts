// Every field of every message, with everything that does not belong there: the rest of the message is right.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import { Served } from "../http/test-served.ts";
import { openSchema } from "../model/site-schema.ts";
import { schemaOf } from "./graph.ts";
import type { Row } from "./row.ts";
import { graphRows } from "./rows.ts";
import { leastMessage } from "./test-messages.ts";
import { TestTenant } from "./test-tenant.ts";

let served: Served;
let tenant: TestTenant;
/** Fields that name what there is, and those that mean another thing in some types. */
let known: Record<string, unknown>;
const others: Record<string, object> = {
  UpdateEgressTargetSiteCommand: { target: { $type: "rest", url: "http://127.0.0.1:9/", isEnabled: false } },
};
before(async () => {
  served = await Served.start();
  tenant = await TestTenant.open(served, "owner@example.org");
  const { properties } = await tenant.create("House", "Vendor.Sites");
  const deviceRegisterId = await tenant.createRegister("Meters");
  const { siteId } = properties;
  const device = { id: "meter", name: "Meter", type: "METER", capabilities: [] };
  const target = { $type: "rest", id: "main", url: "http://127.0.0.1:9/", isEnabled: false };
  const entity = { type: "room", name: "hall" };
  await tenant.send("CreateEntitySiteCommand", { siteId, entity });
  await tenant.send("CreateEgressTargetSiteCommand", { siteId, target });
  await tenant.send("AddDeviceDeviceRegisterCommand", { deviceRegisterId, device });
  known = {
    ...tenant.group,
    tenantId: tenant.id,
    siteId,
    deviceRegisterId,
    deviceId: "meter",
    targetId: "main",
    path: "hall",
    resourceName: "House",
    scope: `/Tenant/${tenant.id}`,
    device: { ...device, id: "meter2" },
    target: { ...target, id: "second" },
    entity: { ...entity, name: "attic" },
    provider: "Vendor.Sites",
    schema: openSchema,
    sessionId: "session",
  };
});
after(() => served.stop());

const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
const words = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "e\u0301",
  "__proto__",
  "constructor",
  "*",
  "**",
  "/",
  "a//b",
];
const longWords = ["x".repeat(100_000), "\u{1f600}".repeat(200), "a/".repeat(500), `${"**/".repeat(100)}a`];
const hostile: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 31) - 1,
  1e308,
  ...words,
  ...longWords,
  "../a",
  "9".repeat(21),
  [],
  {},
  [null],
  [[]],
  [{}],
  ["", ""],
  nested(60),
  Array.from({ length: 5000 }, (_, at) => at),
  JSON.parse('{"__proto__":{"a":1}}'),
  JSON.parse('{"constructor":{"prototype":1},"toString":1}'),
];

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

/** Yields the ways to the fields in a schema. */
function* fieldsIn(schema: Schema, way: readonly string[] = []): Generator<readonly string[]> {
  for (const one of schema.anyOf ?? []) yield* fieldsIn(one, way);
  if (schema.items !== undefined && way.length > 0) yield* fieldsIn(schema.items, [...way, "0"]);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [...way, name];
    if (way.length < 4) yield* fieldsIn(field, [...way, name]);
  }
}

/** Returns a copy of a message with another value at the end of a way; what is missing on it is made. */
function withField(message: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  const isList = name === "0";
  const held = (Array.isArray(message) === isList ? (message ?? {}) : {}) as Record<string, unknown>;
  const inner = rest.length === 0 ? value : withField(held[name], rest, value);
  if (isList) return [inner];
  return Object.fromEntries([...Object.entries(held), [name, inner]]);
}

let count = 0;
async function answerTo(row: Row, message: unknown): Promise<string> {
  const { clock } = served.test;
  // A minute's allowance for the user never runs out.
  if (++count % (limits.graphRequestsPerMinute / 2) === 0) clock.advance(60_000);
  const caller = { account: tenant.id, address: "192.0.2.1" };
  const asking = { signal: new AbortController().signal };
  // As it comes over HTTP.
  const request: unknown = JSON.parse(JSON.stringify({ [row.kind]: message }));
  const answer = await served.platform.graph.answer(request, caller, row.kind, asking);
  if (answer instanceof Refused) return String(answer.status);
  return answer.result.error?.code ?? "ok";
}

/** What ends something that others are about comes last. */
const isEnd = ({ type }: Row): boolean => /^(?:Delete|Remove)/.test(type);
const rows = [...graphRows.filter((row) => !isEnd(row)), ...graphRows.filter(isEnd)];

test("no value in any field of any message makes the cloud fail", async () => {
  const failed: string[] = [];
  const codes = new Map<string, number>();
  for (const row of rows) {
    const message = leastMessage(row, { ...known, ...others[row.type] });
    const ways = new Map([...fieldsIn(schemaOf(row) as Schema)].map((way) => [way.join("."), way]));
    for (const way of ways.values())
      for (const value of hostile) {
        const code = await answerTo(row, withField(message, way, value));
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code !== "E_UNKNOWN" && code !== "422") continue;
        failed.push(`${row.type} ${way.join(".")} ${JSON.stringify(value).slice(0, 80)}: ${code}`);
      }
  }
  assert.deepEqual(failed, []);
  // Some of the values are right, and those messages are carried out.
  assert.ok((codes.get("ok") ?? 0) > 400 && (codes.get("E_INVALID") ?? 0) > 10_000, [...codes].join(" "));
  assert.deepEqual(
    served.log.filter(({ level }) => Number(level) >= 50),
    [],
  );
});
