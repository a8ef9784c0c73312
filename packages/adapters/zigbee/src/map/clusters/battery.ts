import type { Capability } from "@ledge/model";
import type { ClusterMap } from "../cluster.ts";
import { isBattery } from "../power-source.ts";
import { integer, valuesOf } from "../values.ts";

const cluster = "genPowerCfg";

export const battery: ClusterMap = {
  cluster,
  id: 0x0001,
  capabilities(endpoint, node): readonly Capability[] {
    if (!isBattery(node)) return [];
    const { batteryVoltage: volts, batteryPercentageRemaining: left } = valuesOf(endpoint.values, cluster);
    // Until the device has reported its values, assume a charge, as most have.
    const hasCharge = left !== undefined || volts === undefined;
    return [
      ...(hasCharge ? (["BATTERY_C"] as const) : []),
      ...(volts === undefined ? [] : (["BATTERY_U"] as const)),
    ];
  },
  facts: ["batteryVoltage", "batteryPercentageRemaining"],
  state: () => ["batteryVoltage", "batteryPercentageRemaining", "batteryAlarmState"],
  // Each report wakes a sleeping device: at most one per hour, at least two per day.
  reporting: () => [
    { attribute: "batteryPercentageRemaining", minSeconds: 3600, maxSeconds: 43_200, change: 2 },
  ],
  attributesOf(values) {
    const decivolts = integer(values, "batteryVoltage", 1, 0xfe);
    const halves = integer(values, "batteryPercentageRemaining", 0, 200);
    const alarm = integer(values, "batteryAlarmState", 0, 0xffff_ffff);
    return {
      ...(decivolts !== undefined && { batteryV: decivolts / 10 }),
      ...(halves !== undefined && { battery: halves / 2 }),
      // Bits for a battery too low for the radio, or below one of three thresholds, for each of three
      // batteries; other bits concern mains.
      ...(alarm !== undefined && { batteryLow: (alarm & 0x00f0_3c0f) !== 0 }),
    };
  },
};
