/*
 * The child process of the tests of the index. Usage: `<log folder> <index folder>`. It indexes the log in small
 * transactions and prints the mark after each. It starts again when it is done and there is more.
 */
import { writeSync } from "node:fs";
import { openLmdbLog } from "@ledge/log";
import { indexed } from "./test-log.ts";

const [logFolder = "", folder = ""] = process.argv.slice(2);
const log = await openLmdbLog({ folder: logFolder, readOnly: true });
const onProgress = ({ mark }: { mark: number }): void => void writeSync(1, `${mark}\n`);
await indexed(log, folder, {
  batchSamples: 20,
  onProgress,
  onRebuild: (why) => writeSync(1, `rebuilt: ${why}\n`),
});
writeSync(1, "done\n");
await log.close();
