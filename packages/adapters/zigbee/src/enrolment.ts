import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { NamedEndpoint } from "./node.ts";

const enrolled = 1;
/**
 * Any value except 0xff: each zone has one panel here. The library uses the same when a device asks to be
 * enrolled.
 */
const zoneId = 23;
const pauseMs = 500;
const looks = 10;

/**
 * Enrols an IAS zone (ZCL 8.2.2.2.3): the device learns where to send its alarms, and that it is enrolled.
 * Some devices ask to be enrolled, which the library answers; others wait to be told.
 * @throws an error of the library, or AdapterError `timeout` when the device does not become enrolled.
 */
export async function enrol(zone: NamedEndpoint, panel: string, clock: AdapterClock): Promise<void> {
  const options = { sendPolicy: "immediate" } as const;
  const look = (): ReturnType<NamedEndpoint["read"]> =>
    zone.read("ssIasZone", ["iasCieAddr", "zoneState"], options);
  const before = await look();
  if (before["zoneState"] === enrolled && before["iasCieAddr"] === panel) return;
  await zone.write("ssIasZone", { iasCieAddr: panel }, options);
  await passing(clock);
  await zone.command(
    "ssIasZone",
    "enrollRsp",
    { enrollrspcode: 0, zoneid: zoneId },
    { ...options, disableDefaultResponse: true },
  );
  for (let looked = 0; looked < looks; looked++) {
    if ((await look())["zoneState"] === enrolled) return;
    await passing(clock);
  }
  throw new AdapterError("timeout", "the device was not enrolled in time");
}

function passing(clock: AdapterClock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(pauseMs, resolve);
  });
}
