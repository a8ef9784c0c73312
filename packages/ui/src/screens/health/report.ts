import type { HubHealth } from "@ledge/model";

/** What could tell whose hub it is: addresses of mail, pages and machines, serial numbers of sticks and radios. */
const names: readonly (readonly [form: RegExp, instead: string])[] = [
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)*/g, "<mail>"],
  [/\b[a-z]+:\/\/[^\s,;)"']+/gi, "<address>"],
  [/\/dev\/serial\/by-(?:id|path)\/[^\s,;:)"']+/g, "<stick>"],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "<address>"],
  [/\b(?:0x)?[\da-f]{16}\b|\b(?:[\da-f]{2}:){5,7}[\da-f]{2}\b/gi, "<serial>"],
  [/\/(?:home|Users)\/[^\s/]+/g, "/home/<user>"],
  [/\b[\w-]+\.(?:local|lan|home)\b/gi, "<address>"],
];

/** Returns a text without what could tell whose hub it is. */
export function unnamed(text: string): string {
  return names.reduce((left, [form, instead]) => left.replaceAll(form, instead), text);
}

/** Returns how a hub fares as lines for somebody who helps: in English, and without names and addresses. */
export function reportOf(health: HubHealth): string {
  const { log, history, disk, memory, cloud, https, counts } = health;
  const why = (reason: string | null): string => (reason === null ? "" : ` (${unnamed(reason)})`);
  return [
    `Ledge ${health.release}, API ${health.version}, profile ${unnamed(health.profile)}`,
    `at ${new Date(health.at).toISOString()}, up ${Math.round(health.upMs / 60_000)} min`,
    `state ${health.state}${why(health.reason)}`,
    ...health.adapters.map(
      ({ protocol, state, failures, reason }) =>
        `adapter ${protocol}: ${state}, ${failures} failures${why(reason)}`,
    ),
    ...health.radios.map(
      ({ protocol, model, isThere }) =>
        `radio ${protocol}: ${model ?? "unknown"}, ${isThere === false ? "gone" : "there"}`,
    ),
    `log ${mebibytes(log.fileBytes)}, used ${mebibytes(log.usedBytes)} of ${log.quotaBytes === null ? "any" : mebibytes(log.quotaBytes)}, journal ${log.journalMode}`,
    `history ${history.state}${why(history.reason)}`,
    disk === null
      ? "disk unknown"
      : `disk ${mebibytes(disk.freeBytes)} free of ${mebibytes(disk.totalBytes)}`,
    `memory ${mebibytes(memory.processBytes)}, free ${mebibytes(memory.availableBytes)} of ${mebibytes(memory.totalBytes)}`,
    `clock ${health.clock.trusted ? "trusted" : "not trusted"}`,
    `cloud ${cloud === null ? "none" : cloud.connected ? "connected" : "not connected"}`,
    `https ${https.served ? "served" : "not served"}${why(https.problem)}`,
    Object.entries(counts)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", "),
    ...health.troubles.map(
      ({ code, of, reason }) => `trouble ${code}${of === null ? "" : ` ${unnamed(of)}`}${why(reason)}`,
    ),
  ].join("\n");
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`;
}
