import assert from "node:assert/strict";
import { join } from "node:path";
import { secondsSince } from "../seconds-since.ts";
import { answered } from "./client.ts";
import type { ImageFiles } from "./image.ts";
import { VirtualMachine } from "./qemu.ts";
import { Shell } from "./shell.ts";

/**
 * Kills the hub as soon as it has counted its start, until it has counted five deaths. A process that is killed
 * before that has done nothing.
 */
const killFive = [
  `deaths() { sed -n 's/.*"deaths":\\([0-9]*\\).*/\\1/p' /var/lib/ledge/run.json; }`,
  "n=$(deaths)",
  "until [ $n -ge 5 ]",
  "do kill -KILL $(systemctl show -P MainPID ledge)",
  "m=$n",
  "until n=$(deaths) && [ $n -gt $m ]",
  "do sleep 1",
  "done",
  "done",
  "echo killed $n",
].join("; ");

/**
 * Boots a new image, lets its hub hang, then kills it at each of its starts, and at last ends the machine's own systemd.
 * @param files the image; its disk is written to
 * @param folder for the console's output
 * @returns seconds of this machine that each part took
 */
export async function tryWatchdog(
  files: ImageFiles,
  folder: string,
): Promise<Readonly<Record<string, number>>> {
  const seconds: Record<string, number> = {};
  const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const from = performance.now();
    await work();
    seconds[name] = secondsSince(from);
  };
  const machine = await VirtualMachine.start(files, join(folder, "watchdog.console"), {
    shell: true,
    resets: true,
  });
  try {
    await timed("boot", () => answered(machine));
    const shell = await Shell.at(machine.shellPort);
    const health = async (): Promise<string> =>
      await (await fetch(`http://127.0.0.1:${machine.apiPort}/healthz`)).text();
    const restarts = async (): Promise<number> =>
      Number(await shell.run("systemctl show -P NRestarts ledge"));
    assert.equal(await restarts(), 0);

    await timed("the hub hangs", async () => {
      await shell.run("kill -STOP $(systemctl show -P MainPID ledge)");
      await machine.until("systemd starts it again", async () => ((await restarts()) > 0 ? true : undefined));
      await answered(machine);
      assert.match(await shell.run("journalctl --no-pager -u ledge | grep Watchdog"), /Watchdog timeout/);
    });

    await timed("the hub dies at each start", async () => {
      const boot = await shell.run("cat /proc/sys/kernel/random/boot_id");
      assert.match(await shell.run(killFive), /killed 5/);
      await answered(machine);
      // It shows the last state, and takes no changes.
      assert.match(await health(), /safe-mode/);
      assert.equal(await shell.run("cat /proc/sys/kernel/random/boot_id"), boot, "the machine goes on");
      await shell.run("systemctl restart ledge");
      await answered(machine);
      assert.doesNotMatch(await health(), /safe-mode/);
    });

    await timed("systemd itself is dead", async () => {
      assert.match(machine.said, /Watchdog running with a hardware timeout/);
      const boots = bootsIn(machine.said);
      // Its handler of faults stops it for good: nobody feeds the hardware's watchdog from now on.
      await shell.run("kill -SEGV 1");
      await machine.until("the hardware resets it", async () =>
        bootsIn(machine.said) > boots ? true : undefined,
      );
      await answered(machine);
    });
    shell.close();
    return seconds;
  } finally {
    await machine.cutPower();
  }
}

/** How often the console shows that a kernel begins. */
function bootsIn(said: string): number {
  return said.split("Booting Linux on physical CPU").length - 1;
}
