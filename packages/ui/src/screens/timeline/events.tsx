import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { timeline, type TimelineEntry } from "../../api/past.ts";
import { clockOf, momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { WhySheet } from "../../parts/why.tsx";
import { hrefOf } from "../../route.ts";
import { home } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { attributeOf } from "./questions.ts";
import { type Tree, treesOf } from "./trees.ts";

const shownEvents = 60;

/** Asks why something happened, to what it began with. */
function WhyOf({ entry }: { readonly entry: TimelineEntry }): JSX.Element | null {
  const isAsked = useSignal(false);
  const attribute = attributeOf(entry);
  const { at, object, text } = entry;
  if (attribute === undefined || object === null) return null;
  return (
    <>
      <button type="button" class="button quiet" onClick={() => (isAsked.value = true)}>
        {t("why")} <span class="hidden">{text}</span>
      </button>
      {isAsked.value && (
        <WhySheet
          id={object.id}
          attribute={attribute}
          at={at}
          title={`${t("why")} ${text}`}
          close={() => (isAsked.value = false)}
        />
      )}
    </>
  );
}

function Node({ of: { entry, followed } }: { readonly of: Tree }): JSX.Element {
  const { at, object, text } = entry;
  const isDevice = object?.kind === "device" && home.of.devices.of(object.id).value !== undefined;
  return (
    <li>
      <time dateTime={new Date(at).toISOString()} title={momentOf(at)} class="muted">
        {clockOf(at)}
      </time>{" "}
      {isDevice ? <a href={hrefOf("device", object.id)}>{text}</a> : text} <WhyOf entry={entry} />
      {followed.length > 0 && (
        <ul>
          {followed.map((tree) => (
            <Node key={tree.entry.ref} of={tree} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What happened until a time (ms), the newest first, with what followed from it. */
export function Events({ until }: { readonly until: number }): JSX.Element {
  const { asked, again } = useAnswer(
    (signal) => timeline({ to: until, limit: shownEvents }, signal),
    String(until),
  );
  return (
    <section class="card" aria-labelledby="events-title">
      <h2 id="events-title">{t("timeline.events")}</h2>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={({ entries }) =>
          entries.length === 0 ? (
            <Empty title={t("timeline.none")} />
          ) : (
            <ul class="event-trees">
              {treesOf(entries).map((tree) => (
                <Node key={tree.entry.ref} of={tree} />
              ))}
            </ul>
          )
        }
      />
    </section>
  );
}
