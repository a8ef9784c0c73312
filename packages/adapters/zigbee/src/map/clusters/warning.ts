import type { ClusterMap } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import { integer, valuesOf } from "../values.ts";

const cluster = "ssIasWd";
/** How long (s) the hub lets a siren sound unless somebody stops it. */
const mostSeconds = 1800;
const burglar = 1;
const strobe = 1;
const veryLoud = 3;

/** Returns how long (s) a siren sounds unless somebody stops it: no longer than its MaxDuration (ZCL 8.4.2.1.1). */
export function warningSeconds({ values }: EndpointFacts): number {
  return Math.min(integer(valuesOf(values, cluster), "maxDuration", 1, 0xfffe) ?? mostSeconds, mostSeconds);
}

/** Sirens (IAS WD). They do not report whether they sound: `assumedAfter` does that for them. */
export const warning: ClusterMap = {
  cluster,
  id: 0x0502,
  capabilities: () => ["GENERATE_ALERT"],
  facts: ["maxDuration"],
  state: () => [],
  framesFor(wanted, { unit, endpoint }) {
    // On a device that also switches something else, `isOn` belongs to that.
    const isOn = wanted["sirenOn"] ?? (unit.capabilities.includes("ON_OFF") ? undefined : wanted["isOn"]);
    if (typeof isOn !== "boolean") return [];
    const payload = {
      startwarninginfo: isOn ? (burglar << 4) | (strobe << 2) | veryLoud : 0,
      warningduration: isOn ? warningSeconds(endpoint) : 0,
      strobedutycycle: isOn ? 50 : 0,
      strobelevel: isOn ? veryLoud : 0,
    };
    return [{ kind: "command", name: "startWarning", payload }];
  },
};
