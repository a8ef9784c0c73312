import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const program = join(import.meta.dirname, "..", "..", "systemd", "ledge-slots");

/**
 * Runs before Debian's initial file system looks for the root file system, and names it. `/run` stays, so that the
 * running system knows its slot.
 */
const choice = `#!/bin/sh
[ "$1" = prereqs ] && exit 0
tries=0
while [ ! -e /dev/disk/by-partlabel/slots ] && [ $tries -lt 120 ]; do
  tries=$((tries + 1))
  sleep 1
done
slot=$(/bin/sh /usr/bin/ledge-slots boot)
case $slot in
  A) label=rootfs-a ;;
  B) label=rootfs-b ;;
esac
echo "$slot" > /run/ledge-slot
# A root file system that cannot be mounted is left by a reboot, not by a shell that nobody sees.
printf 'ROOT=PARTLABEL=%s\\npanic=10\\n' "$label" >> /conf/param.conf
echo "ledge: slot $slot is booted" > /dev/console
`;

const order = `/scripts/init-premount/ledge-slots "$@"
[ -e /conf/param.conf ] && . /conf/param.conf
`;

/**
 * Adds the choice of a slot to an initial file system of Debian's initramfs-tools: the kernel unpacks a second
 * archive over the first (https://docs.kernel.org/driver-api/early-userspace/buffer-format.html).
 * @param initrd the file; it is appended to
 */
export function addSlotChoice(initrd: string): void {
  // An archive begins at a multiple of four bytes.
  appendFileSync(initrd, Buffer.alloc(-statSync(initrd).size & 3));
  appendFileSync(
    initrd,
    cpioOf([
      { name: "usr/bin/ledge-slots", mode: 0o755, content: readFileSync(program) },
      { name: "scripts/init-premount", mode: 0o755 },
      { name: "scripts/init-premount/ledge-slots", mode: 0o755, content: Buffer.from(choice) },
      { name: "scripts/init-premount/ORDER", mode: 0o644, content: Buffer.from(order) },
    ]),
  );
}

interface Entry {
  readonly name: string;
  readonly mode: number;
  /** Undefined for a folder. */
  readonly content?: Uint8Array;
}

const types = { file: 0o100_000, folder: 0o040_000 } as const;

/** Returns an archive in the format `newc` (cpio(5)). A folder comes before what is in it. */
function cpioOf(entries: readonly Entry[]): Buffer {
  const all = [...entries, { name: "TRAILER!!!", mode: -types.folder }];
  return Buffer.concat(
    all.flatMap(({ name, mode, content }: Entry, index) => {
      const [type, size] = content === undefined ? [types.folder, 0] : [types.file, content.length];
      const path = Buffer.from(`${name}\0`);
      // Inode, mode, user, group, links, time, size, four of devices, size of the name, checksum.
      const numbers = [index + 1, type + mode, 0, 0, 1, 0, size, 0, 0, 0, 0, path.length, 0];
      const head = `070701${numbers.map((number) => number.toString(16).padStart(8, "0")).join("")}`;
      return [padded(Buffer.concat([Buffer.from(head), path])), padded(content ?? Buffer.of())];
    }),
  );
}

function padded(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}
