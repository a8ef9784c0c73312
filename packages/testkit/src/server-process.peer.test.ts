import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { until } from "./until.ts";

const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);

test("servers end with the process that started them, even when it is killed, and say when they end by themselves", async (t) => {
  const program = `
    import { NatsServer } from "${import.meta.dirname}/nats.ts";
    import { PostgresServer } from "${import.meta.dirname}/postgres.ts";
    const [broker, database] = [await NatsServer.start(), await PostgresServer.start()];
    console.log(broker.pid, database.pid, database.folder);
    process.kill(broker.pid, "SIGTERM");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const [broker = 0, database = 0] = line.split(" ").map(Number);
  const [folder = ""] = line.split(" ").slice(2);
  assert.ok(isThere(database), line);
  const [said] = (await once(createInterface({ input: child.stderr }), "line")) as [string];
  assert.match(said, /^nats-server ended by /);
  assert.ok(!isThere(broker));
  child.kill("SIGKILL");
  await until("the end of the database", () => !isThere(database));
  rmSync(folder, { recursive: true });
});
