import type { KnownStick } from "./known-sticks.ts";
import { knownSticks } from "./known-sticks.ts";

/** Where sticks may be opened by their group alone, as serial ports are on Debian. */
const group = "dialout";

const head = `# Installed as /usr/lib/udev/rules.d/65-ledge-serial.rules. Made by scripts/udev-rules.ts from the table of known
# sticks: do not edit. Behind 60-serial.rules, which finds out how a stick calls itself.
ACTION=="remove", GOTO="ledge_serial_end"
SUBSYSTEM!="tty", GOTO="ledge_serial_end"
ENV{ID_BUS}!="usb", GOTO="ledge_serial_end"
`;

const tail = `
ENV{LEDGE_STICK}!="?*", GOTO="ledge_serial_end"
GROUP="${group}", MODE="0660", TAG+="systemd"
SYMLINK+="ledge/$env{LEDGE_STICK}-$env{ID_SERIAL_SHORT}"
# It is no modem: ModemManager would talk to it first.
ENV{ID_MM_PORT_IGNORE}="1"
LABEL="ledge_serial_end"
`;

/** The text of the udev rules that set up the ports of known sticks. */
export function udevRules(): string {
  const rules = knownSticks.filter(({ unconfirmed }) => unconfirmed !== true).flatMap(rulesOf);
  return `${head}\n${rules.join("\n")}\n${tail}`;
}

function rulesOf(stick: KnownStick): string[] {
  return stick.usb.map((ids) => {
    const [vendor, product] = ids.split(":");
    const matches = [`ENV{ID_VENDOR_ID}=="${vendor}"`, `ENV{ID_MODEL_ID}=="${product}"`];
    const { interfaceNumber } = stick;
    if (interfaceNumber !== undefined)
      matches.push(`ENV{ID_USB_INTERFACE_NUM}=="${String(interfaceNumber).padStart(2, "0")}"`);
    if (stick.called !== undefined && stick.ownIds !== true)
      matches.push(`ENV{ID_SERIAL}=="${anyCase(stick.called)}"`);
    if (stick.notCalled !== undefined) matches.push(`ENV{ID_SERIAL}!="${anyCase(stick.notCalled)}"`);
    return `${matches.join(", ")}, ENV{LEDGE_STICK}="${stick.id}"`;
  });
}

/** Older versions of udev know no pattern that leaves upper and lower case aside. */
function anyCase(pattern: string): string {
  return pattern.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
}
