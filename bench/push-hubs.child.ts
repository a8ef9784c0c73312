// Hubs whose owner shares their homes with a cloud, each with a kernel and a tunnel of its own. Sends where the first
// one is, once all are connected. For each message it lets devices report for a while, and sends what they reported.
//
//   node push-hubs.child.ts URL HUBS
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { createApi, rows } from "@ledge/api";
import { createServer, type Fetch, listen } from "@ledge/host/server";
import { Changes } from "@ledge/hub/cloud/changes";
import { Dialler } from "@ledge/hub/cloud/dialler";
import { clientAddress } from "@ledge/hub/cloud/tunnel-server";
import { systemClock } from "@ledge/kernel";
import { RequestFigures } from "@ledge/link";
import { memoryLog } from "@ledge/log";
import { openTestKernel, type TestKernel } from "@ledge/testkit";
import { deviceId, history, report } from "./home.ts";
import { authenticationOf, portsOf } from "./hub-ports.ts";
import { openSession, ownersEmail, post } from "./relay/sessions.ts";
import { monotonicMs, type PushHubs, type Reported, type Reporting } from "./push/reports.ts";

/** The first home has one device, so that a list of its devices is a read of one. */
const [firstDevices, otherDevices] = [1, 50];

interface Home extends TestKernel {
  readonly hubId: string;
  readonly devices: number;
}

const [url = "", count = "0"] = process.argv.slice(2);
const homes: Home[] = [];
let [connected, address, reports] = [0, "", 0];
for (let index = 0; index < Number(count); index++) homes.push(await start(index));
process.on("message", (reporting: Reporting) => void letReport(reporting));

async function start(index: number): Promise<Home> {
  const log = memoryLog();
  const devices = index === 0 ? firstDevices : otherDevices;
  for (const commit of history(devices)) await log.append(commit);
  const home = openTestKernel({ log });
  const created = { type: "CREATE_HUB", name: `Bench ${index}`, timezone: "Europe/Helsinki" };
  const hubId = await home.accept(created);
  const from = `198.18.0.${index}`;
  const session = await openSession(url, hubId, from);
  const { token } = session;
  const claimed = (await post(url, "/hub/claim", { email: ownersEmail }, { token, from })) as {
    userId: string;
  };
  home.clock.advance(1);
  await home.accept({ type: "CLAIM_HUB", id: hubId, userId: claimed.userId, email: ownersEmail });
  await home.accept({ type: "SET_SHARE", id: hubId, share: "states" });
  const ports = portsOf(home, hubId);
  const keys = new Map(session.jwks.keys.map((key) => [key.kid, key]));
  const api = (listener: "local" | "remote"): Fetch =>
    createApi({
      rows,
      ports,
      listener,
      ...(listener === "remote" && { addressOf: clientAddress }),
      auth: authenticationOf(ports, session.issuer, keys),
      figures: new RequestFigures(),
      perAddress: { open: 1e9, key: 1e9, act: 1e9 },
    }).fetch;
  if (index === 0) address = await listen(createServer(api("local")), "127.0.0.1", 0);
  const changes = new Changes({
    kernel: home.kernel,
    hubId,
    clock: systemClock,
    pause: () => turn(),
    leftOut: (kind, id) => process.stderr.write(`${kind} ${id} is too long\n`),
  });
  new Dialler({
    url,
    token: () => Promise.resolve(token),
    fetch: api("remote"),
    changes,
    announced: () => {},
    changed: (isConnected) => noteConnected(isConnected),
    clock: systemClock,
    random: Math.random,
    logger: { info: () => {}, warn: (fields) => process.stderr.write(`${JSON.stringify(fields)}\n`) },
  }).start();
  return { ...home, hubId, devices };
}

function noteConnected(isConnected: boolean): void {
  connected += isConnected ? 1 : -1;
  if (connected === Number(count))
    process.send?.({ address, hubIds: homes.map(({ hubId }) => hubId) } satisfies PushHubs);
}

/** The hubs take turns, and so do the devices of each. */
async function letReport({ perSecond, seconds }: Reporting): Promise<void> {
  const reported: Reported[] = [];
  const began = monotonicMs();
  for (let sent = 0; sent < perSecond * seconds; sent++) {
    const wait = began + (sent * 1000) / perSecond - monotonicMs();
    if (wait > 0) await sleep(wait);
    const index = reports++;
    const { hubId, devices, clock, kernel, submit } = homes[index % homes.length] as Home;
    clock.advance(1);
    const at = monotonicMs();
    const round = Math.floor(index / homes.length);
    const device = round % devices;
    // Another level than the device has reported before.
    await submit(report(device, Math.floor(round / devices)), { origin: "device" });
    const ackMs = monotonicMs() - at;
    reported.push({ hubId, deviceId: deviceId(device), timestamp: kernel.timestamp, at, ackMs });
  }
  process.send?.(reported);
}
