import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

export const flashFile = join(import.meta.dirname, "..", "..", "docs", "flash.md");

/** What a trial of an image saw. */
export interface FlashSession {
  /** Lines of the console, from U-Boot to the setup code. */
  readonly console: string;
  /** The answer to `GET /hub` before the claim, and to `GET /rooms` after the power was cut. */
  readonly hub: string;
  readonly rooms: string;
}

/** U-Boot's first line, which slot is booted, and what the hub prints; behind a prompt or the kernel's time. */
const shown = /(?:^|node\[\d+\]: )((?:U-Boot 20|ledge: slot |Ledge \d|  (?:API|data|setup code) ).*)$/;

/** Returns the lines of a console that a person looks for. */
export function shownOf(console: string): string {
  return stripVTControlCharacters(console)
    .replaceAll("\r", "")
    .split("\n")
    .flatMap((line) => shown.exec(line)?.[1]?.trimEnd() ?? [])
    .join("\n");
}

/** Returns docs/flash.md with what a trial saw. */
export function flashPage({ console, hub, rooms }: FlashSession): string {
  const [address = ""] = /http:\/\/\S+/.exec(console) ?? [];
  return `# Flash a card

One file makes a hub of a board. This page is recorded by \`npm run -s board -- --only image --write\`: QEMU's machine in
place of a Raspberry Pi, a file in place of a card. No Raspberry Pi has booted an image yet ([boards.md](boards.md#a-disk-image)).

## Write it

\`\`\`sh
npm run -s image -- --profile rpi4 --cert updates.pem
zstd -dc dist/ledge-rpi4/disk.img.zst | sudo dd of=/dev/sdX bs=4M conv=fsync status=progress
\`\`\`

\`/dev/sdX\` is the card: \`lsblk\` shows which one, and all that is on it is lost. Raspberry Pi Imager writes the file too, as
an own image, without settings of its own. [updates.md](updates.md#make-bundles) says where \`updates.pem\` comes from; without
it the hub runs, and installs no updates.

## Without a cable

A board without Ethernet, such as the Zero 2 W, joins a Wi-Fi network. Before you take the card out, write a text file
\`wifi.txt\` to its first partition, \`START\`, which computers show as a drive:

\`\`\`
network=My home
passphrase=correct horse battery
country=DE
\`\`\`

The next boot reads the file once, keeps what it says on the card, where whoever has the card can read it, and erases the file.
If the file has a fault, it stays, and \`wifi-error.txt\` beside it says which. Spaces around a value do not count. \`country\` is
your country in two capital letters; without it some channels stay unused. To change the network, write a new \`wifi.txt\`.
Networks without a passphrase, and those with user names, are not joined. A cable is preferred when there is one
([decision 145](adr/0145-wifi-comes-from-a-file-on-the-card.md)).

## Turn it on

Put a network cable in, unless the board joins by Wi-Fi. The screen, or the serial line, shows:

\`\`\`
${console}
\`\`\`

The first boot takes longer: it makes the file system for data and the hub's keys. Open the address in a browser, and claim the
hub with the setup code within 30 minutes. Until then it says:

\`\`\`sh
curl ${address}/hub
\`\`\`

\`\`\`json
${hub}
\`\`\`

## Pull the plug

The recorded hub was claimed, given a room, a stick and a lamp, and lost its power while the lamp was on. It came back with the
lamp on, and says of its rooms:

\`\`\`json
${rooms}
\`\`\`

[boards.md](boards.md#a-disk-image) says how hundreds of such cuts are tried, and [updates.md](updates.md) how the card gets
the next release.
`;
}

/** The session in a page. @throws Error when the page has another form */
export function sessionIn(page: string): FlashSession {
  const [, console = "", hub = "", rooms = ""] =
    /\nPut a [^\n]*\n\n```\n([^]*?)\n```\n[^]*?\n```json\n([^]*?)\n```\n[^]*?\n```json\n([^]*?)\n```\n/.exec(
      page,
    ) ?? [];
  if (rooms === "") throw new Error("the page has no session");
  return { console, hub, rooms };
}

export function writeFlashPage(session: FlashSession): void {
  writeFileSync(flashFile, flashPage(session));
}
