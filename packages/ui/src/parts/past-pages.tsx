import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { Answer } from "../api/call.ts";
import { clockOf, momentOf } from "../format.ts";
import { t } from "../texts/texts.ts";
import { useAnswer } from "./answer.ts";
import { AnswerFace } from "./faces.tsx";

/** What has happened, in words. */
interface PastEntry {
  readonly ref: string;
  /** ms since the epoch. */
  readonly at: number;
  readonly text: string;
}

interface Pages<T extends PastEntry> {
  /** Asks for a page. @param before `next` of the page before; undefined for the newest */
  readonly ask: (
    before: string | undefined,
    signal: AbortSignal,
  ) => Promise<Answer<{ readonly entries: readonly T[]; readonly next: string | null }>>;
  /** Names the question. */
  readonly about: string;
  /** What stands beside an entry. @param page the page that it is on */
  readonly beside: (entry: T, page: readonly T[], isNewest: boolean) => ComponentChildren;
  readonly before?: string;
}

/** Some entries of the past, the newest first, and those before them once somebody asks for them. */
export function PastPages<T extends PastEntry>(pages: Pages<T>): JSX.Element {
  const { ask, about, beside, before } = pages;
  const isLonger = useSignal(false);
  const { asked, again } = useAnswer((signal) => ask(before, signal), `${about} ${before ?? ""}`);
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={({ entries, next }) => (
        <>
          {entries.length === 0 && next === null && <p>{t("audit.none")}</p>}
          <ul class="plain">
            {entries.map((entry) => (
              <li key={entry.ref}>
                <time dateTime={new Date(entry.at).toISOString()} title={momentOf(entry.at)} class="muted">
                  {clockOf(entry.at)}
                </time>{" "}
                {entry.text} {beside(entry, entries, before === undefined)}
              </li>
            ))}
          </ul>
          {next !== null && !isLonger.value && (
            <button type="button" class="button" onClick={() => (isLonger.value = true)}>
              {t("audit.older")}
            </button>
          )}
          {next !== null && isLonger.value && <PastPages {...pages} before={next} />}
        </>
      )}
    />
  );
}
