import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { until } from "@ledge/testkit";
import { servePrices } from "../examples/latest-prices.ts";
import { RawClient } from "./test-raw.ts";

test("the example of prices gives a slow watcher the newest of each symbol", async () => {
  const { server, publish } = servePrices();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = await RawClient.start(`http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`);
  client.send({ type: 4, invocationId: "1", target: "watch", arguments: [] });
  await until("the watcher is there", () => {
    publish({ symbol: "first", price: 1 });
    return client.messages.length > 0;
  });
  client.webSocket.pause();
  const count = 200_000;
  for (let price = 1; price <= count; price++) {
    publish({ symbol: `s${price % 3}`, price });
    if (price % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  client.webSocket.resume();
  const newest = (): readonly unknown[] =>
    ["s0", "s1", "s2"].map((symbol) => {
      const last = client.messages.findLast(({ item }) => (item as { symbol: string }).symbol === symbol);
      return (last?.["item"] as { price: number } | undefined)?.price;
    });
  await until("the newest prices have come", () => newest().includes(count));
  await until(() => newest().every((price) => Number(price) > count - 3));
  assert.ok(client.messages.length < count, "the watcher got every price");
  client.webSocket.terminate();
  server.close();
});
