// Writes what each value of zwave-js, and each file of its device database, becomes into docs/zwave-devices.md: run it
// after a new release of that library, or after a change of `packages/adapters/zwave/src/map`.
//
//   npm run -s zwave:page
import { readFileSync, writeFileSync } from "node:fs";
import { filesTable, parametersOfFiles, valuesTable, withTables } from "@ledge/adapter-zwave/testing";

const path = new URL("../docs/zwave-devices.md", import.meta.url);
const files = filesTable(await parametersOfFiles());
writeFileSync(path, withTables(readFileSync(path, "utf8"), valuesTable(), files));
