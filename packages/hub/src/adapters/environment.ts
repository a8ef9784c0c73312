const passedOn: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "LANG",
  "TZ",
  "NODE_COMPILE_CACHE",
  // How many arenas glibc takes memory from (docs/adr/0014).
  "MALLOC_ARENA_MAX",
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
