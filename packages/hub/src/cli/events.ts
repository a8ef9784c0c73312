import type { LoggedEvent } from '@ledge/model';
import type { PlacedEvent } from '../events.ts';
import { parse } from './client.ts';
import type { CliCommand, Invocation } from './command.ts';
import { api, ask, CliError, exitCodes } from './command.ts';

const envelope: ReadonlySet<string> = new Set(['type', 'id', 'version', 'origin', 'depth', 'cause', 'root']);

export const eventsTail: CliCommand = {
  words: 'events tail',
  usage: '[--after REF] [--count N]',
  summary: 'Events as they become durable; with --after those since then first (0: all), with --count so many',
  options: {
    after: { type: 'string', help: 'start behind this event or timestamp' },
    count: { type: 'string', help: 'end after so many events' },
  },
  async run(invocation) {
    const { after, count } = invocation.options;
    const wanted = count === undefined ? Infinity : Number(count);
    if (!(wanted > 0)) throw new CliError(exitCodes.usage, '--count is a number above 0');
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, invocation.interrupted]);
    const path = `${api}/events${typeof after === 'string' ? `?after=${encodeURIComponent(after)}` : ''}`;
    let seen = 0;
    let ref = '';
    const onLine = (line: string): void => {
      if (line.startsWith('id:')) ref = line.slice(3).trim();
      if (!line.startsWith('data:') || signal.aborted) return;
      const event = parse(line.slice(5)) as LoggedEvent | undefined;
      if (event?.type === undefined) return;
      print(invocation, { ref, timestamp: Number(ref.split('-')[0]), event });
      if (++seen >= wanted) ended.abort();
    };
    await invocation.console.stream(path, onLine, signal);
    return exitCodes.done;
  },
};

export const eventsShow: CliCommand = {
  words: 'events show',
  usage: 'REF',
  summary: 'One event and what led to it, the nearest cause first',
  async run(invocation) {
    const [ref] = invocation.positionals;
    if (ref === undefined) throw new CliError(exitCodes.usage, 'events show REF');
    const path = `${api}/console/event?ref=${encodeURIComponent(ref)}`;
    const { causes, ...found } = await ask<PlacedEvent & { causes: PlacedEvent[] }>(invocation, 'GET', path);
    if (invocation.json) {
      invocation.print(JSON.stringify({ ...found, causes }));
      return exitCodes.done;
    }
    for (const placed of [found, ...causes]) print(invocation, placed);
    return exitCodes.done;
  },
};

function print(invocation: Invocation, { ref, timestamp, event }: PlacedEvent): void {
  if (invocation.json) {
    invocation.print(JSON.stringify({ ref, timestamp, event }));
    return;
  }
  const fields = Object.entries(event).filter(([name]) => !envelope.has(name));
  const text = fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ');
  const cause = event.cause === undefined ? '' : ` <- ${event.cause}`;
  const time = new Date(timestamp).toISOString();
  invocation.print(`${ref} ${time} ${event.type} ${event.id} ${text} [${event.origin}]${cause}`.replace(/ +/g, ' '));
}
