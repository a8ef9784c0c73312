import { test } from "node:test";
import { given, lamp } from "@ledge/testkit";
import { limits } from "./limits.ts";

const created = (id: string) => ({ type: "ZoneCreated", id, name: "Upstairs" });

test("CMD_ZONE creates and renames a zone; REMOVE_ZONE removes it", () => {
  const command = { type: "CMD_ZONE", id: null, name: "Upstairs" };
  given()
    .when(command)
    .then([created("new-1")]);
  given().when({ type: "CMD_ZONE" }).then({ rejected: "invalid", field: "name" });
  const one = given([created("z1")]);
  one.when({ ...command, id: "z1" }).then([]);
  one.when({ ...command, id: "z1", name: null }).then([]);
  one.when({ ...command, id: "z1", name: "Attic" }).then([{ type: "ZoneRenamed", id: "z1", name: "Attic" }]);
  one.when({ type: "REMOVE_ZONE", id: "z1" }).then([{ type: "ZoneRemoved", id: "z1" }]);
  one.when({ type: "REMOVE_ZONE", id: "z9" }).then({ rejected: "not-found", field: "id" });
  const zones = Array.from({ length: limits.zones }, (_, index) => created(`z${index}`));
  given(zones.slice(1))
    .when(command)
    .then([created("new-1")]);
  given(zones).when(command).then({ rejected: "invalid" });
});

test("CMD_DEVICE_META sets the zones of a device, each once", () => {
  const set = { type: "CMD_DEVICE_META", id: "lamp" };
  const home = given([lamp, created("z1"), created("z2")]);
  home
    .when({ ...set, zones: ["z2", "z1", "z2"] })
    .then([{ type: "DeviceZonesSet", id: "lamp", zones: ["z2", "z1"] }]);
  home.when({ ...set, zones: null }).then([]);
  home.when({ ...set, zones: [] }).then([]);
  home.when({ ...set, zones: ["z9"] }).then({ rejected: "invalid", field: "zones" });
});
