import type { AdapterAway, DeviceCommand, Reaction } from "@ledge/model";

/** Marks the devices of an absent adapter unreachable. */
export const awayDevices: Reaction = {
  name: "away devices",
  on: ["AdapterAway"],
  react(event, read) {
    const { id: protocol, at, spared } = event as AdapterAway;
    const isSpared = new Set(spared);
    const reports: DeviceCommand[] = [];
    for (const [id, binding] of read.all("binding")) {
      if (binding.protocol !== protocol || binding.removed || isSpared.has(id)) continue;
      if (read.get("device", id)?.state["reachable"] !== false)
        reports.push({ type: "REPORT_DEVICE", id, attributes: { reachable: false }, at });
    }
    return reports;
  },
};
