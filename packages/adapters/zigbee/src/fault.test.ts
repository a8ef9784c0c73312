import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdapterErrorCode } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { faultOf, isFinal, isHeldFull, isWithoutRoom } from "./fault.ts";

const onOff = 'ZCL command 0x00124b0000000001/1 genOnOff.on({}, {"timeout":4000})';

const said: readonly (readonly [message: string, code: AdapterErrorCode])[] = [
  [`${onOff} failed (Data request failed with error: 'MAC_NO_ACK' (0xe9))`, "unreachable"],
  [`${onOff} failed (Data request failed with error: 'NWK_NO_ROUTE' (0xcd))`, "unreachable"],
  [`${onOff} failed (Data request failed with error: 'MAC_TRANSACTION_EXPIRED' (0xf0))`, "unreachable"],
  [`${onOff} failed (Delivery failed for '4660'.)`, "unreachable"],
  [`${onOff} failed (Data request failed with error: 'TIMEOUT')`, "timeout"],
  [`${onOff} failed (Timeout after 4000ms [address=4660 endpoint=1 clusterId=6 cmdId=11 tsn=12])`, "timeout"],
  [`${onOff} failed (Data request failed with error: 'MAC_CHANNEL_ACCESS_FAILURE' (0xe1))`, "busy"],
  [`${onOff} failed (Data request failed with error: 'BUFFER_FULL' (0x11))`, "busy"],
  [`${onOff} failed (Data request failed with error: 'NWK_TABLE_FULL' (0xc7))`, "busy"],
  [
    `${onOff} failed (failed to send ZCL request (7) Error: Failed APS-DATA.request with confirm status: MacNoAck (0xe9))`,
    "unreachable",
  ],
  ["Failed APS-DATA.request with confirm status: NwkRouteDiscoveryFailed (0xd0)", "unreachable"],
  ["Failed APS-DATA.request with confirm status: NwkBroadcastTableFull (0xd2)", "busy"],
  ["Failed APS-DATA.request with confirm status: MacNoChannelAccess (0xe1)", "busy"],
  ["Command ApsDataRequest failed with status: Busy", "busy"],
  ["Failed APS-DATA.request with confirm status: unknown (0xf1)", "busy"],
  ["~x~> [ZCL] Failed to send request with status=NETWORK_DOWN.", "unreachable"],
  ["Status 'UNSUPPORTED_ATTRIBUTE'", "unsupported"],
  ["Status 'UNSUP_COMMAND'", "unsupported"],
  ["Status 'INVALID_VALUE'", "refused"],
  ["Status 'NOT_AUTHORIZED'", "refused"],
  ["the device answered MALFORMED_COMMAND", "refused"],
  ["the device answered UNSUP_COMMAND", "unsupported"],
];

for (const [message, code] of said) {
  test(`maps ${message.slice(-60)} to ${code}`, () => assert.equal(faultOf(new Error(message)).code, code));
}

test("passes on an error of the port unchanged", () => {
  const error = new AdapterError("stopped", "TIMEOUT");
  assert.equal(faultOf(error), error);
});

test("a refusal is final, a missing answer is not", () => {
  assert.ok(isFinal(faultOf(new Error("Status 'READ_ONLY'"))));
  assert.ok(!isFinal(faultOf(new Error("AREQ - ZDO - bindRsp after 10000ms"))));
});

test("a parent that holds no more frames for a sleeping device is told from a busy radio", () => {
  const of = (reason: string): boolean => isHeldFull(faultOf(new Error(`${onOff} failed (${reason})`)));
  assert.ok(of("Data request failed with error: 'MAC_TRANSACTION_OVERFLOW' (0xf1)"));
  assert.ok(of("Failed APS-DATA.request with confirm status: unknown (0xf1)"));
  assert.ok(!of("Data request failed with error: 'MAC_TRANSACTION_EXPIRED' (0xf0)"));
  assert.ok(!of("Data request failed with error: 'MAC_CHANNEL_ACCESS_FAILURE' (0xe1)"));
});

test("a full stick has sent nothing; a channel that stays busy may have", () => {
  const of = (reason: string): boolean => isWithoutRoom(new Error(`${onOff} failed (${reason})`));
  assert.ok(
    of("--> 'SREQ: AF - dataRequest' failed with status '(0x11: BUFFER_FULL)' (expected '(0x00: SUCCESS)')"),
  );
  assert.ok(
    of("--> 'SREQ: AF - dataRequest' failed with status '(0x10: MEM_ERROR)' (expected '(0x00: SUCCESS)')"),
  );
  assert.ok(!of("Data request failed with error: 'MAC_CHANNEL_ACCESS_FAILURE' (0xe1)"));
  assert.ok(!of("Timeout after 4000ms"));
});
