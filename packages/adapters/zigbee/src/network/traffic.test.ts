import assert from "node:assert/strict";
import { test } from "node:test";
import type { StickAdapter } from "../library-inside.ts";
import { Traffic } from "./traffic.ts";

/** A stick whose sends end as the test decides. */
function stick(end: () => Promise<unknown>): StickAdapter {
  return {
    hasZdoMessageOverhead: false,
    stop: async () => {},
    on: () => {},
    emit: () => {},
    sendZdo: end,
    sendZclFrameToEndpoint: end,
    sendZclFrameToGroup: end,
    sendZclFrameToAll: end,
  };
}

for (const [words, count] of [
  ["Data request failed with error: 'MAC_NO_ACK' (0xe9)", "tx_err_no_ack"],
  ["Data request failed with error: 'NWK_NO_ROUTE' (0xcd)", "tx_err_no_ack"],
  ["Data request failed with error: 'MAC_CHANNEL_ACCESS_FAILURE' (0xe1)", "tx_err_busy_channel"],
  ["Delivery failed for '1234'.", "tx_err_no_ack"],
  ["Failed APS-DATA.request with confirm status: MacNoAck (0xe9)", "tx_err_no_ack"],
  ["Failed APS-DATA.request with confirm status: NwkRouteError (0xd1)", "tx_err_no_ack"],
  ["Failed APS-DATA.request with confirm status: MacNoChannelAccess (0xe1)", "tx_err_busy_channel"],
  ["Timeout after 10000ms", "tx_successful"],
] as const)
  test(`counts "${words}" as ${count}`, async () => {
    const traffic = new Traffic();
    const adapter = stick(() => Promise.reject(new Error(words)));
    traffic.follow(adapter);
    await assert.rejects(adapter.sendZclFrameToGroup(), new Error(words));
    const none = { rx_successful: 0, tx_successful: 0, tx_err_no_ack: 0, tx_err_busy_channel: 0 };
    assert.deepEqual(traffic.counts, { ...none, [count]: 1 });
  });

test("holds sends while the radio is away, for one scan at a time", async () => {
  const traffic = new Traffic();
  const said: string[] = [];
  const adapter = stick(async () => said.push("sent"));
  traffic.follow(adapter);
  const first = Promise.withResolvers<void>();
  const listening = [
    traffic.withRadioAway(async (sendZdo) => {
      await sendZdo("", 0, 0, Buffer.alloc(0), false);
      await first.promise;
      said.push("first heard");
    }),
    traffic.withRadioAway(async () => void said.push("second heard")),
  ];
  const sent = adapter.sendZclFrameToGroup();
  await new Promise(setImmediate);
  assert.deepEqual(said, ["sent"]);
  first.resolve();
  await Promise.all([...listening, sent]);
  assert.deepEqual(said.slice(0, 2), ["sent", "first heard"]);
  assert.equal(said.length, 4);
});

test("returns the radio after a failed scan", async () => {
  const traffic = new Traffic();
  const adapter = stick(async () => "answer");
  traffic.follow(adapter);
  await assert.rejects(
    traffic.withRadioAway(() => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.equal(await adapter.sendZclFrameToGroup(), "answer");
});
