import type { ClusterMap } from "../cluster.ts";

/** For how long (s) a siren sounds when nobody turns it off. */
export const warningSeconds = 1800;
const burglar = 1;
const strobe = 1;
const veryLoud = 3;

/** Sirens (IAS WD). They do not say whether they sound: `assumedAfter` does. */
export const warning: ClusterMap = {
  cluster: "ssIasWd",
  id: 0x0502,
  capabilities: () => ["GENERATE_ALERT"],
  state: () => [],
  framesFor(wanted, { unit }) {
    // Where something else is switched too, that is what `isOn` is.
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
