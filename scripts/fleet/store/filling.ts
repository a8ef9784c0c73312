import { copiedColumns, copiedRow } from "@ledge/fleet-postgres/testing";
import type { PostgresServer } from "@ledge/testkit/postgres";
import type pg from "pg";
import { secondsSince } from "../../seconds-since.ts";
import { rowOf } from "./rows.ts";

/** A register to fill, with its source. */
export interface Filled {
  readonly register: string;
  readonly source: string;
  readonly devices: number;
}

export interface FillFound {
  /** Rows copied per second, without the indexes that searches use. */
  readonly copiedPerS: number;
  /** How long each of those took to be made then (s). */
  readonly indexS: Readonly<Record<string, number>>;
  readonly analyzeS: number;
}

const textBytes = 1_048_576;
/** After how many rows progress is told. */
const toldRows = 1_000_000;

/** Fills `ledge.rows` and `ledge.sources` by COPY; indexes other than the primary key are made afterwards. */
export async function fill(
  server: PostgresServer,
  client: pg.Client,
  registers: Iterable<Filled>,
  tell: (line: string) => void,
): Promise<FillFound> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE schemaname = 'ledge' AND tablename = 'rows' AND indexname <> 'rows_pkey' ORDER BY indexname`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ledge.${name}`);
  const sources: string[] = [];
  let count = 0;
  const began = performance.now();
  const texts = function* (): Generator<string> {
    let text = "";
    for (const { register, source, devices } of registers) {
      let sum = 0;
      for (let index = 0; index < devices; index++) {
        const { line, bytes } = copiedRow(rowOf(register, source, index));
        text += line;
        sum += bytes;
        if (text.length >= textBytes) {
          yield text;
          text = "";
        }
      }
      if (Math.floor((count + devices) / toldRows) > Math.floor(count / toldRows))
        tell(`${count + devices} rows after ${secondsSince(began)} s`);
      count += devices;
      sources.push(`${source}\ts.0\t0\tstates\t${devices}\t${sum}\n`);
    }
    yield text;
  };
  await server.copy("postgres", `COPY ledge.rows (${copiedColumns}) FROM STDIN`, texts());
  const columns = "id, cursor, generation, note, rows, bytes";
  await server.copy("postgres", `COPY ledge.sources (${columns}) FROM STDIN`, sources);
  const copiedPerS = Math.round(count / ((performance.now() - began) / 1000));
  tell(`${count} rows copied, ${copiedPerS} a second`);
  const indexS: Record<string, number> = {};
  for (const { name, definition } of indexes) {
    indexS[name] = await timed(() => client.query(definition));
    tell(`${name} made in ${indexS[name]} s`);
  }
  const analyzeS = await timed(() => client.query("VACUUM (ANALYZE) ledge.rows"));
  return { copiedPerS, indexS, analyzeS };
}

/** Returns how long (s) an action takes. */
export async function timed(action: () => unknown): Promise<number> {
  const began = performance.now();
  await action();
  return secondsSince(began);
}
