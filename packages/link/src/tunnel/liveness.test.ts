import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type ClientHttp2Session } from "node:http2";
import { type AddressInfo, connect as dial, createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { limits } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import { keepAlive } from "./liveness.ts";
import { TunnelDuplex } from "./tunnel-duplex.ts";

const server = createServer();
server.listen(0, "127.0.0.1");
after(() => server.close());

/** SETTINGS without any: what an end of HTTP/2 says first. */
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

/** A tunnel whose other end only says what it is told to. */
async function opened(clock: SimulatedClock): Promise<{ session: ClientHttp2Session; other: Socket }> {
  if (!server.listening) await once(server, "listening");
  const socket = dial((server.address() as AddressInfo).port, "127.0.0.1");
  const [[other]] = (await Promise.all([once(server, "connection"), once(socket, "connect")])) as [
    [Socket],
    unknown,
  ];
  const duplex = new TunnelDuplex(socket);
  const session = connect("http://hub", { createConnection: () => duplex });
  session.on("error", () => {});
  keepAlive(session, duplex, clock);
  other.resume().on("error", () => {});
  other.write(settings);
  await once(session, "remoteSettings");
  return { session, other };
}

test("an end that is late itself reads what has come before it takes the other one for silent", async (t) => {
  const clock = new SimulatedClock();
  const { session, other } = await opened(clock);
  t.after(() => session.destroy());
  for (let round = 0; round < 3; round++) {
    clock.advance(limits.tunnelPingMs);
    // Both in one turn: the answer has come, and nobody has read it when the time is over.
    other.write(settings);
    clock.advance(limits.tunnelSilenceMs);
    await clock.pass(0);
    await clock.pass(0);
    assert.ok(!session.destroyed, `round ${round}`);
    clock.advance(limits.tunnelPingMs - limits.tunnelSilenceMs - 1);
  }
});

test("an end ends a tunnel whose other end is silent, and nothing waits afterwards", async () => {
  const clock = new SimulatedClock();
  const { session, other } = await opened(clock);
  clock.advance(limits.tunnelPingMs + limits.tunnelSilenceMs - 1);
  await clock.pass(0);
  assert.ok(!session.destroyed);
  clock.advance(1);
  if (!session.destroyed) await once(session, "close");
  if (!other.closed) await once(other, "close");
  assert.equal(clock.waiting, 0);
});
