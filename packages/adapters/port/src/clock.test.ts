import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { systemClock } from "./clock.ts";

/** Both ends of a connection. */
async function connection(t: TestContext): Promise<readonly [near: Socket, far: Socket]> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [far] = await accepted;
  t.after(() => {
    for (const end of [near, far, server]) end.unref();
    near.destroy();
    far.destroy();
    server.close();
  });
  return [near, far];
}

/** Lets this process do nothing else for a while. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("an answer that came while the process stood still comes before the end of its time", async (t) => {
  const [near, far] = await connection(t);
  const order: string[] = [];
  near.on("data", () => order.push("the answer"));
  const { promise, resolve } = Promise.withResolvers<void>();
  systemClock.after(10, () => {
    order.push("the end of its time");
    resolve();
  });
  far.write("answer");
  standStill(50);
  await promise;
  assert.deepEqual(order, ["the answer", "the end of its time"]);
});

test("calls nobody back who has cancelled, also when the time is over", async () => {
  const called: string[] = [];
  const cancelEarly = systemClock.after(0, () => called.push("early"));
  cancelEarly();
  const over = Promise.withResolvers<void>();
  const cancelLate = systemClock.after(1, () => called.push("late"));
  setTimeout(() => {
    cancelLate();
    over.resolve();
  }, 1);
  await over.promise;
  const { promise, resolve } = Promise.withResolvers<void>();
  systemClock.after(0, resolve);
  await promise;
  assert.deepEqual(called, []);
});
