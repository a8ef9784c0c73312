// The adapter in a network of its own, with a hub that accepts what clients want.
import type { ClientCommand } from "@ledge/port";
import { type Rig, startRig } from "./rig.ts";
import { home } from "./served-home.ts";
import { addresses, serveCalls } from "@ledge/testkit/network";

const commands: ClientCommand[] = [];
let rig: Rig;

async function decide(): Promise<void> {
  for (let outcomes: object[] = []; ;) {
    const request = { type: "TAKE_CLIENT_COMMANDS", outcomes, waitMs: 1000 };
    const taken = (await rig.ask(request)) as (ClientCommand & { id: number })[];
    commands.push(...taken.map(({ client, device, attributes }) => ({ client, device, attributes })));
    outcomes = taken.map(({ id }) => ({ id }));
  }
}

serveCalls({
  async start() {
    const settings = { pollMs: 60_000, timeoutMs: 2000, retries: 1, unreachableAfter: 1 };
    rig = await startRig({ broadcast: addresses.broadcast, ...settings });
    const server = { deviceId: 77, deviceName: "House", port: 47_808, broadcast: true };
    await rig.ask({
      type: "SERVE_HOME",
      full: true,
      devices: home.map((device) => [device.id, device]),
      bacnet: { ...server, timeZone: "Europe/Helsinki", version: "1" },
    });
    void decide();
  },
  change: (device: { id: string }) =>
    rig.ask({ type: "SERVE_HOME", full: false, devices: [[device.id, device]] }),
  ask: (request: never) => rig.ask(request),
  pair: (type: string, instance: number, capability: string) => rig.pair(type, instance, capability),
  set: (native: string, attributes: object) => rig.set(native, { ...attributes }),
  async shows(native: string, attribute: string, value: unknown) {
    await rig.until(`${attribute} ${String(value)}`, () => rig.latest(native, attribute) === value);
  },
  commands: () => commands,
  complaints: () => rig.complaints,
});
