// Keeps thousands of connections with half a request open from one address, at a hub and at a cloud, and measures
// how a client at the same address fares meanwhile; docs/load.md.
//
//   npm run -s flood -- [--sockets N] [--again N] [--calls N]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Flood, visit } from "@ledge/testkit/flood";
import { programFile } from "@ledge/testkit/programs";
import { countOf } from "../count-of.ts";
import { LoadedHub } from "../load/hub.ts";
import { latencyOf } from "../load/tally.ts";

interface Options {
  readonly sockets: number;
  /** How many closed connections are opened again per second. */
  readonly again: number;
  readonly calls: number;
}

/** Returns whether all calls were served. */
async function beside(
  server: string,
  address: string,
  url: string,
  authorization: string | undefined,
  { sockets, again, calls }: Options,
): Promise<boolean> {
  const headers = authorization === undefined ? {} : { authorization };
  const flood = await Flood.start(address, sockets, "head", again);
  const visits = await Promise.all(
    [true, false].map((keepAlive) => visit(url, calls, { keepAlive, headers })),
  );
  const { opened, closed } = await flood.stop();
  console.log(`${server}: ${opened} connections opened, ${closed} closed`);
  for (const [index, { ms, failures }] of visits.entries()) {
    const { p50, p99 } = latencyOf(ms);
    const way = index === 0 ? "kept" : "new ";
    console.log(
      `  ${way} connections: ${calls - failures.length} of ${calls} served, p50 ${p50} ms, p99 ${p99} ms`,
    );
    for (const failure of failures.slice(0, 3)) console.log(`    ${failure}`);
  }
  return visits.every(({ failures }) => failures.length === 0);
}

async function atHub(options: Options): Promise<boolean> {
  const hub = await LoadedHub.start({});
  try {
    const key = await hub.key();
    const { https } = (await hub.console("GET", "/console/status")) as { https: { address: string } };
    let isWell = true;
    for (const address of [`http://127.0.0.1:${hub.port}`, https.address]) {
      const url = `${address}/cc/1.14/hub/tz`;
      isWell = (await beside(`hub, ${address}`, address, url, key, options)) && isWell;
    }
    return isWell;
  } finally {
    await hub.stop();
  }
}

async function atCloud(options: Options): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-flood-"));
  const child = spawn(process.execPath, [programFile("cloud"), "--data", folder, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        const found = /API {3}(http\S+)\n[^]*mail/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
      void ended.then(() => reject(new Error("the cloud has ended")));
    });
    return await beside(`cloud, ${address}`, address, `${address}/healthz`, undefined, options);
  } finally {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    sockets: { type: "string", default: "4600" },
    again: { type: "string", default: "200" },
    calls: { type: "string", default: "140" },
  },
});
const options = {
  sockets: countOf("sockets", values.sockets),
  again: countOf("again", values.again),
  calls: countOf("calls", values.calls),
};
const wells = [await atHub(options), await atCloud(options)];
if (wells.includes(false)) process.exitCode = 1;
