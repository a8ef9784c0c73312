import { limits } from "@ledge/model";
import type { Adapter, AdapterHost, NativeId, Report } from "../adapter.ts";

/** Native ids of the devices in the flood's reports. */
export const floodNatives: readonly NativeId[] = Array.from({ length: 32 }, (_, index) => `flood-${index}`);

/** Ten thousand numbered reports: as many pulses as the queue holds, the rest levels. */
export const flood: readonly Report[] = floodOf(10_000, limits.pulseQueue);

function floodOf(count: number, pulses: number): Report[] {
  const reports: Report[] = [];
  let left = pulses;
  for (let number = 0; number < count; number += 1) {
    const native = floodNatives[number % floodNatives.length] ?? "";
    const pulse = left > 0 && number % 2 === 0;
    if (pulse) left -= 1;
    reports.push({ native, attributes: pulse ? { button: number } : { lux: number } });
  }
  return reports;
}

/** Returns the adapter, changed to report the whole flood at once after its start. */
export function flooding(create: () => Adapter): () => Adapter {
  return () => {
    const adapter = create();
    const start = adapter.start.bind(adapter);
    adapter.start = async (host: AdapterHost) => {
      await start(host);
      for (const report of flood) host.report(report);
    };
    return adapter;
  };
}
