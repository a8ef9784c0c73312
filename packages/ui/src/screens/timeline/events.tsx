import type { JSX } from "preact";
import { timeline } from "../../api/past.ts";
import { clockOf, momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { hrefOf } from "../../route.ts";
import { home } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { type Tree, treesOf } from "./trees.ts";

const shownEvents = 60;

function Node({ of: { entry, followed } }: { readonly of: Tree }): JSX.Element {
  const { at, object, text } = entry;
  const isDevice = object?.kind === "device" && home.of.devices.of(object.id).value !== undefined;
  return (
    <li>
      <time dateTime={new Date(at).toISOString()} title={momentOf(at)} class="muted">
        {clockOf(at)}
      </time>{" "}
      {isDevice ? <a href={hrefOf("device", object.id)}>{text}</a> : text}
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
