/** Returns whether a JSON text may have a key that reaches a prototype. An escape sequence can also spell it. */
export function mayHavePrototypeKeys(text: string): boolean {
  return text.includes("__proto__") || text.includes("\\u");
}

/** Removes `__proto__` keys from a value, at every level. */
export function dropPrototypeKeys(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "__proto__")) delete (value as { __proto__?: unknown }).__proto__;
  for (const item of Object.values(value)) dropPrototypeKeys(item);
}
