// What open browsers take of a hub's memory: an hour of news for twenty of them, against a hub that has the same news
// and no browser.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import type { Figure } from "./figure.ts";
import { bundled, HubFolder, type HubProcess } from "./hub-process.ts";

const browsers = 20;
const devices = 200;
/** Something changes every two seconds of the hour. */
const changes = 1800;
/** A user may ask ten times a second, and each browser is a user here. */
const changeMs = 125;
const preload = new URL("collecting.preload.ts", import.meta.url).href;

/** @returns figures of the group `browsers` */
export async function browserFigures(): Promise<readonly Figure[]> {
  const bundles = mkdtempSync(join(tmpdir(), "ledge-bench-bundle-"));
  const program = await bundled(bundles);
  const folders = [
    new HubFolder({ sim: { devices } }, program),
    new HubFolder({ sim: { devices } }, program),
  ];
  const hubs: Opened[] = [];
  const open: Browser[] = [];
  try {
    for (const folder of folders) hubs.push(await opened(folder));
    const [without, withThem] = hubs as [Opened, Opened];
    for (let number = 0; number < browsers; number++) open.push(await Browser.open(withThem, number));
    for (let change = 0; change < changes; change++) {
      const next = sleep(changeMs);
      await Promise.all(hubs.map((hub) => flip(hub, change)));
      await next;
    }
    const answers = open.reduce((sum, { answers: of }) => sum + of, 0);
    const [as, collected] = [grown(hubs), [await settled(without.hub), await settled(withThem.hub)] as const];
    const how = `PSS of the hub's process with ${browsers} browsers less that of one without, ${changes} changes, ${answers} answered polls`;
    const told = { unit: "MB", gated: false } as const;
    return [
      { name: "browsers memory of twenty, as it stands", value: as, ...told, limit: null, how },
      {
        name: "browsers memory of twenty",
        value: collected[1] - collected[0],
        ...told,
        limit: "<= 5",
        how: `the same after a collection of both; ${collected[0].toFixed(1)} MB without`,
      },
    ];
  } finally {
    for (const browser of open) browser.close();
    for (const { hub } of hubs) await hub.stop();
    for (const folder of folders) folder.remove();
    rmSync(bundles, { recursive: true, force: true });
  }
}

interface Opened {
  readonly hub: HubProcess;
  readonly key: string;
  readonly lamps: readonly string[];
}

async function opened(folder: HubFolder): Promise<Opened> {
  const hub = await folder.start(["--import", preload]);
  const key = await hub.key();
  const lamps = (await hub.devices(devices, key)).flatMap(({ id, capabilities, state }) =>
    capabilities.values.includes("ON_OFF") && state.reachable !== false ? [id] : [],
  );
  return { hub, key, lamps };
}

async function flip({ hub, key, lamps }: Opened, change: number): Promise<void> {
  const isOn = Math.floor(change / lamps.length) % 2 === 0;
  const id = lamps[change % lamps.length];
  await hub.call("PUT", "/devices/command", key, [{ type: isOn ? "CMD_DEVICE_ON" : "CMD_DEVICE_OFF", id }]);
}

function grown(hubs: readonly Opened[]): number {
  const [without = NaN, withThem = NaN] = hubs.map(({ hub }) => hub.pss());
  return withThem - without;
}

/** Memory (MB) after a collection: the least of several readings, as a busy machine gives pages back late. */
async function settled(hub: HubProcess): Promise<number> {
  let least = Infinity;
  for (let reading = 0; reading < 4; reading++) {
    const collected = hub.child.stderr && once(hub.child.stderr, "data");
    hub.child.kill("SIGUSR2");
    await collected;
    await sleep(500);
    least = Math.min(least, hub.pss());
  }
  return least;
}

/** A client that asks what an open page asks, over the connections that a browser keeps. It is let in as a panel. */
class Browser {
  /** Polls that were answered. */
  answers = 0;
  readonly #port: number;
  readonly #localAddress: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 6 });
  #key = "";
  #isOpen = true;

  private constructor(port: number, number: number) {
    this.#port = port;
    // An address may begin a few logins a minute.
    this.#localAddress = `127.0.1.${number + 1}`;
  }

  static async open({ hub, key }: Opened, number: number): Promise<Browser> {
    const browser = new Browser(Number(new URL(hub.address).port), number);
    const page = await browser.#ask("GET", "/");
    for (const [, path] of page.matchAll(/(?:src|href)="(\/ui\/[^"]+)"/g))
      await browser.#ask("GET", path ?? "");
    await browser.#ask("GET", "/hub");
    const begun = await browser.#ask("POST", "/cc/1.14/hub/logins", { name: `Panel ${number}` });
    const { code, secret } = JSON.parse(begun) as { code: string; secret: string };
    await hub.call("POST", "/hub/logins/approve", key, { code, panel: true });
    const login = await browser.#ask("POST", "/cc/1.14/hub/logins/poll", { secret });
    browser.#key = (JSON.parse(login) as { key: string }).key;
    await browser.#ask("GET", "/cc/1.14/hub/keycheck");
    await browser.#ask("GET", "/cc/1.14/hub/users/preferences");
    void browser.#follow();
    return browser;
  }

  close(): void {
    this.#isOpen = false;
    this.#agent.destroy();
  }

  async #follow(): Promise<void> {
    let ts = 0;
    while (this.#isOpen) {
      try {
        const answer = await this.#ask("GET", `/cc/1.14/hub/poll?ts=${ts}&wait=25000`);
        ({ timestamp: ts } = JSON.parse(answer) as { timestamp: number });
        this.answers++;
      } catch (error) {
        if (this.#isOpen) throw error;
      }
    }
  }

  async #ask(method: string, path: string, body?: unknown): Promise<string> {
    const outgoing = request({
      host: "127.0.0.1",
      port: this.#port,
      localAddress: this.#localAddress,
      agent: this.#agent,
      method,
      path,
      headers: {
        "accept-encoding": "gzip",
        ...(this.#key !== "" && { authorization: this.#key }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const text = (incoming.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
    if (incoming.statusCode !== 200) throw new Error(`${method} ${path}: ${incoming.statusCode} ${text}`);
    return text;
  }
}
