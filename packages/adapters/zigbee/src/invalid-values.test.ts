import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Events } from "zigbee-herdsman";
import { Zcl } from "zigbee-herdsman";
import { withoutInvalid } from "./invalid-values.ts";
import { has } from "./map/cluster.ts";
import { clusters } from "./map/clusters/index.ts";
import type { NodeFacts } from "./map/index.ts";
import { attributesOf, factsToRead, unitsOf } from "./map/index.ts";
import { isInvalid } from "./map/invalid.ts";
import { KnownModel } from "./map/known-model.ts";
import { herdsmanDevice } from "./map/test-herdsman.ts";
import { models } from "./map/test-models.ts";

const require = createRequire(import.meta.url);
const { attributeKeyValue } = require("zigbee-herdsman/dist/controller/helpers/zclFrameConverter.js") as {
  readonly attributeKeyValue: (frame: Zcl.Frame, manufacturer: number | undefined, custom: object) => object;
};

interface Item {
  readonly attrId: number;
  readonly dataType: number;
  readonly attrData: unknown;
}

/** Returns a report as the controller emits it. */
function arrivalOf(endpoint: number, cluster: string, items: readonly Item[]): Events.MessagePayload {
  const command = Zcl.Utils.getGlobalCommand("report");
  const definition = Zcl.Utils.getCluster(cluster, undefined, {});
  const { FrameType, Direction } = Zcl;
  const to = Direction.SERVER_TO_CLIENT;
  const frame = Zcl.Frame.create(FrameType.GLOBAL, to, true, undefined, 1, command, definition, items, {}, 0);
  const rawData = frame.toBuffer();
  const read = Zcl.Frame.fromBuffer(definition.ID, Zcl.Header.fromBuffer(rawData), rawData, {});
  const data = attributeKeyValue(read, undefined, {});
  const device = { manufacturerID: undefined, customClusters: {} };
  return {
    ...({ type: "attributeReport", cluster, data, device, endpoint: { ID: endpoint } } as object),
    meta: { rawData },
  } as Events.MessagePayload;
}

function declared(cluster: string, name: string): { readonly ID: number; readonly type: number } {
  const { attributes } = Zcl.Utils.getCluster(cluster, undefined, {});
  return attributes[name] ?? assert.fail(`${cluster} has no ${name}`);
}

/** The invalid value of each type, written out from ZCL revision 8, table 2-11. */
const sentinels: Readonly<Record<number, number | bigint>> = {
  [Zcl.DataType.BOOLEAN]: 0xff,
  [Zcl.DataType.UINT8]: 0xff,
  [Zcl.DataType.UINT16]: 0xffff,
  [Zcl.DataType.UINT24]: 0xffffff,
  [Zcl.DataType.UINT32]: 0xffffffff,
  [Zcl.DataType.UINT40]: 0xffffffffff,
  [Zcl.DataType.UINT48]: 0xffffffffffff,
  [Zcl.DataType.UINT56]: 0xffffffffffffffn,
  [Zcl.DataType.UINT64]: 0xffffffffffffffffn,
  [Zcl.DataType.INT8]: -0x80,
  [Zcl.DataType.INT16]: -0x8000,
  [Zcl.DataType.INT24]: -0x800000,
  [Zcl.DataType.INT32]: -0x80000000,
  [Zcl.DataType.INT40]: -0x8000000000,
  [Zcl.DataType.INT48]: -0x800000000000,
  [Zcl.DataType.INT56]: -0x80000000000000n,
  [Zcl.DataType.INT64]: -0x8000000000000000n,
  [Zcl.DataType.ENUM8]: 0xff,
  [Zcl.DataType.ENUM16]: 0xffff,
  [Zcl.DataType.SINGLE_PREC]: Number.NaN,
  [Zcl.DataType.DOUBLE_PREC]: Number.NaN,
  [Zcl.DataType.TOD]: 0xffffffff,
  [Zcl.DataType.DATE]: 0xffffffff,
  [Zcl.DataType.UTC]: 0xffffffff,
  [Zcl.DataType.CLUSTER_ID]: 0xffff,
  [Zcl.DataType.ATTR_ID]: 0xffff,
  [Zcl.DataType.BAC_OID]: 0xffffffff,
};

test("knows the invalid value of every type that has one, and of no other", () => {
  for (const type of Object.values(Zcl.DataType).filter((each) => typeof each === "number")) {
    const sentinel = sentinels[type];
    if (sentinel !== undefined) assert.ok(isInvalid(type, sentinel), Zcl.DataType[type]);
    const others = Object.values(sentinels).filter((each) => each !== sentinel && !Number.isNaN(each));
    for (const other of others) assert.ok(!isInvalid(type, other), `${Zcl.DataType[type]} ${other}`);
  }
});

/** Attributes with a meaning for the invalid value of their type. */
const meanings = [
  ["genOnOff", "startUpOnOff", 0xff],
  ["genOnOff", "onTime", 0xffff],
  ["genLevelCtrl", "onLevel", 0xff],
  ["genLevelCtrl", "startUpCurrentLevel", 0xff],
  ["lightingColorCtrl", "startUpColorTemperature", 0xffff],
  ["haDiagnostic", "lastMessageLqi", 0xff],
] as const;
const meaningful: ReadonlySet<string> = new Set(meanings.map(([, attribute]) => attribute));

/** Every attribute that the hub maps of a model's clusters, with its invalid value. */
function invalidItems({ endpoints }: NodeFacts): readonly (readonly [number, string, string, Item])[] {
  return endpoints.flatMap((endpoint) =>
    clusters
      .filter((map) => has(endpoint, map))
      .flatMap((map) => {
        const { cluster, facts = [] } = map;
        const reported = (map.reporting?.(endpoint) ?? []).map(({ attribute }) => attribute);
        const names = new Set([...facts, ...map.state(endpoint), ...reported]);
        return [...names].flatMap((name): readonly (readonly [number, string, string, Item])[] => {
          const { ID, type } = declared(cluster, name);
          const sentinel = sentinels[type];
          const item = { attrId: ID, dataType: type, attrData: sentinel };
          return sentinel === undefined ? [] : [[endpoint.id, cluster, name, item]];
        });
      }),
  );
}

describe("an invalid value", () => {
  for (const [name, node] of Object.entries(models)) {
    test(`of any attribute of ${name} reports nothing, by its clusters or by its definition`, async () => {
      const { device } = herdsmanDevice(node);
      const model = await KnownModel.of(device, { log() {}, said() {}, changed() {} });
      for (const known of [undefined, model]) {
        const units = unitsOf(node, known?.facts);
        for (const [endpoint, cluster, attribute, item] of invalidItems(node)) {
          const data = withoutInvalid(arrivalOf(endpoint, cluster, [item]), Zcl)?.data;
          if (data === undefined || meaningful.has(attribute)) continue;
          const message = { endpoint, cluster, type: "attributeReport", data };
          const properties = known?.read({
            ...message,
            device,
            endpoint: device.getEndpoint(endpoint),
          } as never);
          for (const unit of units)
            assert.deepEqual(attributesOf(unit, message, {}, properties), {}, `${cluster} ${attribute}`);
        }
      }
    });
  }
});

test("leaves every other value of an attribute as it is", () => {
  const read = Object.values(models).flatMap((node) => [
    ...factsToRead(node),
    ...unitsOf(node).flatMap(({ setup }) => setup.reads),
  ]);
  const named = read.flatMap(({ cluster, attributes }) => attributes.map((name) => [cluster, name] as const));
  const octets = fc.uint8Array({ minLength: 8, maxLength: 8 });
  const [unsigned, signed] = [[0x08, 0x10, 0x18, 0x20, 0x30], [0x28]];
  fc.assert(
    fc.property(fc.constantFrom(...named), octets, ([cluster, name], bytes) => {
      const { ID, type } = declared(cluster, name);
      const width = (type & 7) + 1;
      const isSigned = signed.includes(type & 0xf8);
      if ((!isSigned && !unsigned.includes(type & 0xf8)) || width > 6) return;
      const buffer = Buffer.from(bytes);
      const value = isSigned ? buffer.readIntLE(0, width) : buffer.readUIntLE(0, width);
      if (value === sentinels[type]) return;
      const arrival = arrivalOf(1, cluster, [{ attrId: ID, dataType: type, attrData: value }]);
      if (!Number.isNaN(Object.values(arrival.data)[0])) assert.equal(withoutInvalid(arrival, Zcl), arrival);
    }),
    { numRuns: 300 },
  );
});

for (const [cluster, attribute, value] of meanings)
  test(`keeps ${value} of ${attribute}, which has a meaning`, () => {
    const { ID, type } = declared(cluster, attribute);
    const items = [{ attrId: ID, dataType: type, attrData: value }];
    assert.deepEqual(withoutInvalid(arrivalOf(1, cluster, items), Zcl)?.data, { [attribute]: value });
  });

test("drops only the invalid values of a message", () => {
  const items = [
    { attrId: 0x0000, dataType: Zcl.DataType.UINT48, attrData: 0xffffffffffff },
    { attrId: 0x0400, dataType: Zcl.DataType.INT24, attrData: 230 },
  ];
  assert.deepEqual(withoutInvalid(arrivalOf(1, "seMetering", items), Zcl)?.data, {
    instantaneousDemand: 230,
  });
});
