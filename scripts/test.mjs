// `npm test`: sets up what is missing, then runs every check and test.
// The programs that some suites run against come from Debian, and only where that is expected:
// as root with CI set, or with --install.
import { join } from "node:path";
import { launch, root } from "./toolchain.mjs";

const args = process.argv.slice(2);
const isCi = !["", "0", "false"].includes(process.env["CI"] ?? "");
if (isCi && process.getuid?.() === 0 && !args.includes("--install")) args.push("--install");

await launch(join(root, "scripts", "check.ts"), args);
