const prefix = "own:";

/** Returns the source of the rows of devices that people have added to a register by hand. */
export function ownSource(register: string): string {
  return prefix + register;
}

/** Returns whether a source is that of a register's own devices. Hubs are the others. */
export function isOwnSource(source: string): boolean {
  return source.startsWith(prefix);
}
