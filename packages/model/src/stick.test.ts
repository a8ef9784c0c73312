import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";

const port = "/dev/serial/by-id/usb-ConBee_II-if00";
const said = { port, driver: "deconz", baudRate: null, rtscts: null };
const take = { type: "TAKE_STICK", id: "zigbee", ...said };
const taken = { type: "StickTaken", id: "zigbee", ...said };

test("TAKE_STICK and GIVE_UP_STICK set and clear a protocol's stick", () => {
  const used = given().when(take).then([taken]);
  assert.equal(used.state("stick", "zigbee")?.port, port);
  given([taken]).when(take).then([]);
  const without = given([taken])
    .when({ type: "GIVE_UP_STICK", id: "zigbee" })
    .then([{ type: "StickGivenUp", id: "zigbee" }]);
  assert.equal(without.state("stick", "zigbee"), undefined);
});

test("TAKE_STICK replaces the stick or its driver", () => {
  for (const change of [
    { port: "tcp://10.0.0.7:6638" },
    { driver: "zstack" },
    { baudRate: 57_600 },
    { rtscts: true },
  ])
    given([taken])
      .when({ ...take, ...change })
      .then([{ ...taken, ...change }]);
});

test("TAKE_STICK refuses a stick that another protocol uses", () => {
  given([taken])
    .when({ ...take, id: "zwave" })
    .then({ rejected: "wrong-state", field: "port" });
  given([taken, { type: "StickGivenUp", id: "zigbee" }])
    .when({ ...take, id: "zwave" })
    .then([{ ...taken, id: "zwave" }]);
});

test("GIVE_UP_STICK refuses a protocol without a stick", () => {
  given().when({ type: "GIVE_UP_STICK", id: "zigbee" }).then({ rejected: "not-found", field: "protocol" });
});
