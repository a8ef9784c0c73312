// A home in which many events wait for a cloud, told over HTTP/2 as through a tunnel.
//
//   node replication-hub.child.ts DEVICES EVENTS
import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Changes } from "@ledge/hub/cloud/changes";
import { answerChanges } from "@ledge/hub/cloud/changes-answer";
import { systemClock } from "@ledge/kernel";
import type { LoggedEvent } from "@ledge/model";
import { openTestKernel } from "@ledge/testkit";
import { openHome, report } from "./home.ts";

/** Where the home is told, and the cursor after which its events wait. */
export interface WaitingHome {
  readonly hubId: string;
  readonly address: string;
  readonly cursor: string;
}

/** Events of a commit: as many as devices report within the time in which a hub collects them. */
const commitEvents = 50;

const [devices = 0, events = 0] = process.argv.slice(2).map(Number);
await run();

async function run(): Promise<void> {
  const home = await openHome(devices);
  const hubId = await home.accept({ type: "CREATE_HUB", name: "Bench", timezone: "Europe/Helsinki" });
  await home.accept({ type: "SET_SHARE", id: hubId, share: "states" });
  const log = home.log.clone();
  const began = home.kernel.timestamp;
  for (let event = 0, timestamp = began; event < events; event += commitEvents)
    await log.append({ timestamp: ++timestamp, events: reportsFrom(event) });
  const { kernel } = openTestKernel({ log });
  const pause = (): Promise<void> => setImmediate();
  const leftOut = (): void => process.exit(1);
  const changes = new Changes({ kernel, hubId, clock: systemClock, pause, leftOut });
  const server = createServer((request, response) => {
    void answerChanges(changes, request, response, (error) => process.stderr.write(`${error.stack}\n`));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.send?.({ hubId, address, cursor: `s.0.${began}` } satisfies WaitingHome);
}

function reportsFrom(first: number): LoggedEvent[] {
  return Array.from({ length: commitEvents }, (_, at) => {
    const said = report((first + at) % devices, first + at);
    return {
      ...said,
      type: "DeviceReported",
      version: 1,
      origin: "device",
      depth: 0,
    } as unknown as LoggedEvent;
  });
}
