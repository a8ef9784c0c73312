import { Cluster, within } from "../cluster.ts";

/** A fan (0x0202): 0 off, 1 low, 2 medium, 3 high, 4 on, 5 auto, 6 smart. */
export class Fan extends Cluster<"mode" | "sequence"> {
  constructor() {
    super(0x0202, {
      mode: {
        id: 0x0000,
        type: "enum8",
        value: 0,
        isWritable: true,
        isReportable: true,
        check: within(0, 6),
      },
      sequence: { id: 0x0001, type: "enum8", value: 2, isWritable: true, check: within(0, 4) },
    });
  }
}
