/** Returns what the hub says of a field or of a part of it; empty for nothing. */
export function faultIn(
  errors: readonly { readonly field: string; readonly message: string }[],
  name: string,
): string {
  const found = errors.filter(({ field }) => field === name || field.startsWith(`${name}.`));
  return found.map(({ message }) => message).join(" ");
}
