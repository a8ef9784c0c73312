// Writes what each expose of zigbee-herdsman-converters becomes into docs/zigbee-devices.md: run it after a new
// release of that library, or after a change of `packages/exposes`.
//
//   npm run -s zigbee:page
import { readFileSync, writeFileSync } from "node:fs";
import { allMapped, exposesTable, withExposes } from "@ledge/adapter-zigbee/testing";

const path = new URL("../docs/zigbee-devices.md", import.meta.url);
writeFileSync(path, withExposes(readFileSync(path, "utf8"), exposesTable(allMapped())));
