const property = "prepareStackTrace";

/**
 * Loads the library, and takes back what it does to the stacks of all errors of a process: it reads whole files for source
 * maps, also for each command, of which it keeps a stack.
 */
export async function withPlainStacks<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const before = Object.getOwnPropertyDescriptor(Error, property);
  try {
    return await load();
  } finally {
    if (before) Object.defineProperty(Error, property, before);
  }
}
