/** Whose machine it is: that of a rule, or of one device of a rule whose devices each have one. */
export interface RunId {
  readonly rule: string;
  readonly each?: string;
}

/** `<rule>` or `<rule>/<device>`. */
export function runId({ rule, each }: RunId): string {
  return each === undefined ? rule : `${rule}/${each}`;
}

export function parseRunId(id: string): RunId {
  const [rule = "", each] = id.split("/");
  return each === undefined ? { rule } : { rule, each };
}

/** `rule:<run>#<name>`: a timer of a machine. */
export function timerId(run: string, name: string): string {
  return `rule:${run}#${name}`;
}

/** Takes a timer's id apart; undefined when it is of no rule. */
export function parseTimerId(id: string): (RunId & { readonly name: string }) | undefined {
  const match = /^rule:([^/#]+)(?:\/([^#]+))?#(.+)$/.exec(id);
  if (match === null) return undefined;
  const [, rule = "", each, name = ""] = match;
  return each === undefined ? { rule, name } : { rule, each, name };
}

const [lapsePrefix, lapseName] = ["output:", "#lapse"];

/** `output:<device>#lapse`: the timer of the moment at which nobody keeps rules off a device any more. */
export function lapseId(device: string): string {
  return `${lapsePrefix}${device}${lapseName}`;
}

/** The device of such a timer; undefined when it is another. */
export function parseLapseId(id: string): string | undefined {
  const isOne = id.startsWith(lapsePrefix) && id.endsWith(lapseName);
  return isOne ? id.slice(lapsePrefix.length, -lapseName.length) : undefined;
}
