/** As the hub takes them. */
const leastChars = 8;

/** Returns the text that says what is wrong with a passphrase that was typed twice; undefined when it will do. */
export function flawOf(first: string, second: string): "system.short" | "system.differs" | undefined {
  if (first.length < leastChars) return "system.short";
  return first === second ? undefined : "system.differs";
}
