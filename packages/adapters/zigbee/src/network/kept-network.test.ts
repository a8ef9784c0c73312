import assert from "node:assert/strict";
import { test } from "node:test";
import { Kept, type KeptNetwork } from "./kept-network.ts";

const network: KeptNetwork = {
  panId: 1,
  extendedPanId: "0102030405060708",
  channel: 11,
  networkKey: "00".repeat(16),
  formedAt: 1,
  isChannelChosen: false,
  isConfirmed: false,
};

test("the next change builds on a network that is still being stored", async () => {
  const durable = new Map<string, unknown>();
  const settle: ((error?: Error) => void)[] = [];
  const kept = new Kept({
    get: (key) => durable.get(key),
    put: (key, value) =>
      new Promise((resolve, reject) => {
        settle.push((error) => {
          if (error !== undefined) return reject(error);
          durable.set(key, value);
          resolve();
        });
      }),
  });
  const first = kept.setNetwork(network);
  const second = kept.setNetwork({ ...(kept.network ?? network), channel: 20 });
  assert.equal(kept.network?.channel, 20);
  settle[0]?.();
  await first;
  assert.equal(kept.network?.channel, 20);
  settle[1]?.();
  await second;
  const third = kept.setNetwork({ ...network, channel: 25 });
  settle[2]?.(new Error("full"));
  await assert.rejects(third, /full/);
  assert.equal(kept.network?.channel, 20);
});

test("treats a damaged backup as missing", () => {
  const kept = new Kept({ get: () => "{", put: async () => {} });
  assert.equal(kept.backup, undefined);
});
