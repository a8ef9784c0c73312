import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { after, test } from "node:test";
import { memoryRegisterStore } from "@ledge/fleet";
import { TunnelDuplex } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import { SimulatedClock, until } from "@ledge/testkit";
import { TestTunnel } from "../relay/test-relay.ts";
import { Tunnels } from "../relay/tunnels.ts";
import type { Cluster } from "./cluster.ts";
import { joinNode, leaveNode } from "./test-nodes.ts";
import { TunnelNews } from "./tunnel-news.ts";

const clock = new SimulatedClock();
const registers = memoryRegisterStore(() => clock.wall());
const ends: (() => Promise<void>)[] = [];
after(() => Promise.all(ends.map((end) => end())));

/** A process of the cloud that only has tunnels. */
interface Process {
  readonly cluster: Cluster;
  readonly tunnels: Tunnels;
  /** Timers of its news alone. */
  readonly timers: SimulatedClock;
  /** After which versions others have asked. */
  readonly asked: number[];
  /** Questions that it fails from now on. */
  failing: number;
  dial(hubId: string): TestTunnel;
  asks(
    of: Process,
    asked: number,
  ): Promise<{ version: number; changes: { hubId: string; process?: object }[] }>;
}

async function join(name: string): Promise<Process> {
  const cluster = await joinNode(name, registers, clock);
  const { nodes, link } = cluster;
  const tunnels = new Tunnels({ clock });
  const timers = new SimulatedClock();
  const joined: Omit<Process, "dial" | "asks"> = { cluster, tunnels, timers, asked: [], failing: 0 };
  const serve: Cluster["serve"] = (path, answer) =>
    cluster.serve(path, (json, signal) => {
      joined.asked.push((json as { after: number }).after);
      if (joined.failing > 0) throw new Error(`fails ${joined.failing--} times more`);
      return answer(json, signal);
    });
  const news = new TunnelNews({ nodes, link, serve }, tunnels, timers, () => clock.wall());
  ends.push(async () => {
    news.stop();
    await tunnels.drain(0);
    await leaveNode(cluster);
  });
  return Object.assign(joined, {
    dial(hubId: string) {
      const [here, there] = duplexPair();
      tunnels.add({ hubId, generation: 0, instance: name }, new TunnelDuplex(here));
      return new TestTunnel(new TunnelDuplex(there), (stream) => stream.close());
    },
    asks: (of: Process, asked: number) =>
      link.call(of.cluster.nodes.own.address, "tunnels", { after: asked }) as ReturnType<Process["asks"]>,
  });
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
  assert.deepEqual(await quiet, { instance: "first", version: newest, changes: [], isAll: false });
});

test("a question that fails once is asked again where it was, and hubs are lost by the second failure", async () => {
  const first = await join("failing");
  const second = await join("asking");
  await first.cluster.nodes.refresh();
  first.dial("hub");
  const knows = (): boolean => second.tunnels.reach("hub") === "open";
  await until("the other process knows", knows);
  let losses = 0;
  second.tunnels.onReach(() => (losses += knows() ? 0 : 1));
  first.failing = 1;
  first.dial("other");
  await until("the failed one and one more", () => second.tunnels.reach("other") === "open");
  assert.deepEqual([losses, first.failing], [0, 0]);
  first.failing = 2;
  first.dial("third");
  await until("the hub is lost", () => losses > 0);
  await until("it is known again", () => knows() && second.tunnels.reach("third") === "open");
});
