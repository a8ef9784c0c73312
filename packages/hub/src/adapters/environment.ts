const passedOn: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG", "TZ", "NODE_COMPILE_CACHE"]);

/**
 * What an adapter's process gets of the hub's environment: what any process needs. The rest may hold secrets of
 * the hub, and adapters run other people's libraries.
 */
export function adapterEnvironment(hub: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(hub)) {
    if (value !== undefined && (passedOn.has(name) || name.startsWith("LC_"))) environment[name] = value;
  }
  return environment;
}
