import type { ClusterMap } from "../cluster.ts";
import { integer } from "../values.ts";

/** Fans. The modes equal the hub's: 0 off, 1 low, 2 medium, 3 high, 4 on, 5 auto, 6 smart. */
export const fan: ClusterMap = {
  cluster: "hvacFanCtrl",
  id: 0x0202,
  capabilities: () => ["FAN_MODE"],
  state: () => ["fanMode"],
  reporting: () => [{ attribute: "fanMode", minSeconds: 0, maxSeconds: 3600, change: 0 }],
  attributesOf(values) {
    const fanMode = integer(values, "fanMode", 0, 6);
    return fanMode === undefined ? {} : { fanMode };
  },
  framesFor({ fanMode }) {
    return typeof fanMode === "number" ? [{ kind: "write", values: { fanMode } }] : [];
  },
};
