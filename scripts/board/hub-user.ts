/**
 * The hub's user and group where we write the tables of users ourselves, in disk images and containers. Packages of
 * Debian take ids from 999 down and from 100 up.
 */
export const hubId = 200;
/** The group of serial ports in Debian. */
export const serialGroup = 20;

/** What the hub is in each table of users. */
const hubIn = {
  passwd: `ledge:x:${hubId}:${hubId}:Ledge automation hub:/var/lib/ledge:/usr/sbin/nologin`,
  group: `ledge:x:${hubId}:`,
} as const;

/**
 * Adds the hub's user or group to a table of them.
 * @throws Error when the id is somebody else's: the hub would have the rights of another service
 */
export function withHub(table: string, name: keyof typeof hubIn): string {
  const other = table.split("\n").find((line) => line.split(":")[2] === String(hubId));
  if (other !== undefined) throw new Error(`the id ${hubId} of the hub is taken in ${name}: ${other}`);
  return `${table}${hubIn[name]}\n`;
}
