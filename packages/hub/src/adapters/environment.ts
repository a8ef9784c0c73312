const passedOn: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "LANG",
  "TZ",
  "NODE_COMPILE_CACHE",
  // How glibc takes memory, and gives it back (docs/adr/0014, docs/adr/0118).
  "MALLOC_ARENA_MAX",
  "MALLOC_MMAP_THRESHOLD_",
]);

/**
 * Returns the part of the hub's environment that every process needs. The other variables may hold secrets of
 * the hub, and an adapter runs code of other people.
 */
export function adapterEnvironment(hub: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(hub)) {
    if (value !== undefined && (passedOn.has(name) || name.startsWith("LC_"))) environment[name] = value;
  }
  return environment;
}
