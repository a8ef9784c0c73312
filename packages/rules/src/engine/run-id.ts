/** Identifies a machine: that of a rule, or of one device of a rule that has a machine per device. */
export interface RunId {
  readonly rule: string;
  readonly each?: string;
}

/** Returns `<rule>` or `<rule>/<device>`. */
export function runId({ rule, each }: RunId): string {
  return each === undefined ? rule : `${rule}/${each}`;
}

/** Parses the id of a run. */
export function parseRunId(id: string): RunId {
  const [rule = "", each] = id.split("/");
  return each === undefined ? { rule } : { rule, each };
}

/** Returns `rule:<run>#<name>`, the id of a machine's timer. */
export function timerId(run: string, name: string): string {
  return `rule:${run}#${name}`;
}

/** Parses the id of a machine's timer; undefined for any other. */
export function parseTimerId(id: string): (RunId & { readonly name: string }) | undefined {
  const match = /^rule:([^/#]+)(?:\/([^#]+))?#(.+)$/.exec(id);
  if (match === null) return undefined;
  const [, rule = "", each, name = ""] = match;
  return each === undefined ? { rule, name } : { rule, each, name };
}

const [lapsePrefix, lapseName] = ["output:", "#lapse"];

/** Returns `output:<device>#lapse`, the id of the timer for the end of the holds on a device. */
export function lapseId(device: string): string {
  return `${lapsePrefix}${device}${lapseName}`;
}

/** Returns the device of such a timer; undefined for any other. */
export function parseLapseId(id: string): string | undefined {
  const isOne = id.startsWith(lapsePrefix) && id.endsWith(lapseName);
  return isOne ? id.slice(lapsePrefix.length, -lapseName.length) : undefined;
}
