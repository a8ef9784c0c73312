import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { after, test } from "node:test";
import { memoryRegisterStore } from "@ledge/fleet";
import { createLogger } from "@ledge/host/logger";
import { TunnelDuplex } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import { TestTunnel } from "../relay/test-relay.ts";
import { Tunnels } from "../relay/tunnels.ts";
import { Cluster } from "./cluster.ts";
import { Nodes } from "./nodes.ts";
import { PeerLink } from "./peer-link.ts";
import { TunnelNews } from "./tunnel-news.ts";

const clock = new SimulatedClock();
const registers = memoryRegisterStore(() => clock.wall());
const key = { id: "key", key: Buffer.alloc(32, 1) };
const ends: (() => Promise<void>)[] = [];
after(() => Promise.all(ends.map((end) => end())));

/** A process of the cloud that only has tunnels. */
interface Process {
  readonly cluster: Cluster;
  readonly tunnels: Tunnels;
  /** Timers of its news alone. */
  readonly timers: SimulatedClock;
  dial(hubId: string): TestTunnel;
  asks(
    of: Process,
    asked: number,
  ): Promise<{ version: number; changes: { hubId: string; process?: object }[] }>;
}

async function join(name: string): Promise<Process> {
  const link = new PeerLink({ get: () => key.key, sealing: () => key });
  const address = await link.listen("127.0.0.1", 0);
  const nodes = new Nodes({
    registers,
    own: { name, instance: name, address, url: "" },
    clock,
    logger: createLogger("silent"),
  });
  await nodes.begin();
  const cluster = new Cluster(nodes, link, async () => {});
  const tunnels = new Tunnels({ clock });
  const timers = new SimulatedClock();
  const news = new TunnelNews(cluster, tunnels, timers, () => clock.wall());
  ends.push(async () => {
    news.stop();
    await tunnels.drain(0);
    await nodes.leave();
    await link.close();
  });
  return {
    cluster,
    tunnels,
    timers,
    dial(hubId) {
      const [here, there] = duplexPair();
      tunnels.add({ hubId, generation: 0, instance: name }, new TunnelDuplex(here));
      return new TestTunnel(new TunnelDuplex(there), (stream) => stream.close());
    },
    asks: (of, asked) =>
      link.call(of.cluster.nodes.own.address, "tunnels", { after: asked }) as ReturnType<Process["asks"]>,
  };
}

test("tells each other process the last change of each hub since it asked, and leaves no timer", async () => {
  const first = await join("first");
  const second = await join("second");
  await first.cluster.nodes.refresh();
  first.dial("flapping");
  first.dial("steady");
  await until("the other process knows", () => second.tunnels.reach("steady") === "open");
  const { version } = await second.asks(first, 0);
  assert.equal(version, 2);
  for (let count = 0; count < 8; count++) first.dial("flapping");
  const all = await second.asks(first, 0);
  assert.deepEqual(
    all.changes.map(({ hubId }) => hubId),
    ["steady", "flapping"],
  );
  const { changes, version: newest } = await second.asks(first, version);
  assert.deepEqual([changes.map(({ hubId }) => hubId), newest], [["flapping"], 10]);
  await until("the question waits again", () => first.timers.waiting === 1);

  const left = new AbortController();
  const { own } = first.cluster.nodes;
  const asked = second.cluster.link.call(own.address, "tunnels", { after: newest }, { signal: left.signal });
  await until("both questions wait", () => first.timers.waiting === 2);
  left.abort();
  await assert.rejects(asked, { name: "PeerError" });
  await until("the question is forgotten", () => first.timers.waiting === 1);
  const quiet = second.asks(first, newest);
  await until("both questions wait", () => first.timers.waiting === 2);
  await first.timers.pass(limits.peerNewsMs);
  assert.deepEqual(await quiet, { version: newest, changes: [] });
});
