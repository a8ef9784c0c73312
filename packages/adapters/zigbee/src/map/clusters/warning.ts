import type { ClusterMap } from "../cluster.ts";

/** How long (s) a siren sounds unless somebody stops it. */
export const warningSeconds = 1800;
const burglar = 1;
const strobe = 1;
const veryLoud = 3;

/** Sirens (IAS WD). They do not report whether they sound: `assumedAfter` does that for them. */
export const warning: ClusterMap = {
  cluster: "ssIasWd",
  id: 0x0502,
  capabilities: () => ["GENERATE_ALERT"],
  state: () => [],
  framesFor(wanted, { unit }) {
    // On a device that also switches something else, `isOn` belongs to that.
    const isOn = wanted["sirenOn"] ?? (unit.capabilities.includes("ON_OFF") ? undefined : wanted["isOn"]);
    if (typeof isOn !== "boolean") return [];
    const payload = {
      startwarninginfo: isOn ? (burglar << 4) | (strobe << 2) | veryLoud : 0,
      warningduration: isOn ? warningSeconds : 0,
      strobedutycycle: isOn ? 50 : 0,
      strobelevel: isOn ? veryLoud : 0,
    };
    return [{ kind: "command", name: "startWarning", payload }];
  },
};
