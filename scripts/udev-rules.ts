// Writes systemd/65-ledge-serial.rules from the table of known sticks.
//
//   node scripts/toolchain.mjs exec scripts/udev-rules.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { udevRules } from "@ledge/serial";

writeFileSync(join(import.meta.dirname, "..", "systemd", "65-ledge-serial.rules"), udevRules());
