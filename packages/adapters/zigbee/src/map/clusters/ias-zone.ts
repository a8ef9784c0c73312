import type { AttributeName, Capability } from "@ledge/model";
import type { AttributeValues, Values } from "@ledge/exposes";
import type { At, ClusterMap } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import { isBattery } from "../power-source.ts";
import { integer, valuesOf } from "../values.ts";

interface ZoneKind {
  readonly capability: Capability;
  readonly attribute: AttributeName;
  /** The bits of the zone status that set the attribute: alarm 1, alarm 2. */
  readonly bits: number;
}

const alarm1 = 0x0001;
const alarm2 = 0x0002;
const tampered = 0x0004;
const batteryLow = 0x0008;

const motion = { capability: "MOTION", attribute: "motion", bits: alarm1 | alarm2 } as const;
const moved = { capability: "SELF_MOTION", attribute: "motion", bits: alarm1 | alarm2 } as const;

/** By `zoneType` (ZCL 8.2.2.2.1.2). Alarm 2 of a CO detector means cooking fumes. */
const kinds: Readonly<Record<number, ZoneKind>> = {
  0x000d: motion,
  0x0015: { capability: "CONTACT", attribute: "open", bits: alarm1 },
  0x0028: { capability: "SMOKE", attribute: "alert", bits: alarm1 | alarm2 },
  0x002a: { capability: "MOISTURE", attribute: "moisture", bits: alarm1 | alarm2 },
  0x002b: { capability: "CO", attribute: "coDetected", bits: alarm1 },
  0x002c: { capability: "EMERGENCY", attribute: "alert", bits: alarm1 | alarm2 },
  0x002d: moved,
  0x0226: moved,
};

export const iasZone: ClusterMap = {
  cluster: "ssIasZone",
  id: 0x0500,
  capabilities(endpoint, node) {
    const kind = kindOf(endpoint);
    return [
      ...(kind === undefined ? [] : [kind.capability]),
      ...(isBattery(node) ? (["BATTERY_U"] as const) : []),
    ];
  },
  facts: ["zoneType"],
  state: () => ["zoneStatus"],
  attributesOf: (values, at) => statusOf(integer(values, "zoneStatus", 0, 0xffff), at),
  commands: {
    commandStatusChangeNotification: (payload: Values, at: At) =>
      statusOf(integer(payload, "zonestatus", 0, 0xffff), at),
  },
};

function kindOf({ values }: EndpointFacts): ZoneKind | undefined {
  const type = integer(valuesOf(values, "ssIasZone"), "zoneType", 0, 0xffff);
  return type === undefined ? undefined : kinds[type];
}

function statusOf(status: number | undefined, { endpoint }: At): AttributeValues {
  if (status === undefined) return {};
  const kind = kindOf(endpoint);
  return {
    ...(kind && { [kind.attribute]: (status & kind.bits) !== 0 }),
    tamper: (status & tampered) !== 0,
    batteryLow: (status & batteryLow) !== 0,
  };
}
