import assert from "node:assert/strict";
import { join } from "node:path";
import { answered } from "./client.ts";
import type { ImageFiles } from "./image.ts";
import { VirtualMachine } from "./qemu.ts";
import { Shell } from "./shell.ts";
import { Stopwatch } from "./stopwatch.ts";
import { hasTakenWifi, joinsWifi, putWifi, wifiIsErased } from "./wifi-trial.ts";

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
 * Boots a new image with a `wifi.txt` on its first partition, lets its hub hang, then kills it at each of its starts, and
 * at last ends the machine's own systemd, so that the machine boots again. After each boot a radio joins the network.
 * @param files the image; its disk is written to
 * @param folder for the console's output
 * @returns seconds of this machine that each part took
 */
export async function tryWatchdog(
  files: ImageFiles,
  folder: string,
): Promise<Readonly<Record<string, number>>> {
  const watch = new Stopwatch();
  putWifi(files.disk);
  const machine = await VirtualMachine.start(files, join(folder, "watchdog.console"), {
    shell: true,
    resets: true,
  });
  try {
    await watch.timed("boot", () => answered(machine));
    const shell = await Shell.at(machine.shellPort);
    const health = async (): Promise<string> =>
      await (await fetch(`http://127.0.0.1:${machine.apiPort}/healthz`)).text();
    const restarts = async (): Promise<number> =>
      Number(await shell.run("systemctl show -P NRestarts ledge"));
    assert.equal(await restarts(), 0);
    assert.equal(await shell.run("systemctl --failed --no-legend --plain"), "", "every unit has started");

    await watch.timed("a radio joins", async () => {
      await hasTakenWifi(machine, shell);
      await joinsWifi(machine, shell);
    });

    await watch.timed("the hub hangs", async () => {
      await shell.run("kill -STOP $(systemctl show -P MainPID ledge)");
      await machine.until("systemd starts it again", async () => ((await restarts()) > 0 ? true : undefined));
      await answered(machine);
      assert.match(await shell.run("journalctl --no-pager -u ledge | grep Watchdog"), /Watchdog timeout/);
    });

    await watch.timed("the hub dies at each start", async () => {
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

    await watch.timed("systemd itself is dead", async () => {
      assert.match(machine.said, /Watchdog running with a hardware timeout/);
      const boots = bootsIn(machine.said);
      // Its handler of faults stops it for good: nobody feeds the hardware's watchdog from now on.
      await shell.run("kill -SEGV 1");
      await machine.until("the hardware resets it", async () =>
        bootsIn(machine.said) > boots ? true : undefined,
      );
      await answered(machine);
    });
    await watch.timed("a radio joins again", () => joinsWifi(machine, shell));
    shell.close();
    await machine.cutPower();
    wifiIsErased(files.disk);
    return watch.seconds;
  } finally {
    await machine.cutPower();
  }
}

/** How often the console shows that a kernel begins. */
function bootsIn(said: string): number {
  return said.split("Booting Linux on physical CPU").length - 1;
}
