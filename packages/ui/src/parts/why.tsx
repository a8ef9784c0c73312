import type { JSX } from "preact";
import type { Why, WhyReading } from "@ledge/model";
import { why } from "../api/rows.ts";
import { momentOf, clockOf } from "../format.ts";
import { useAnswer } from "./answer.ts";
import { AnswerFace } from "./faces.tsx";
import { Sheet } from "./sheet.tsx";
import { pastTime } from "../store/clock.ts";
import { t } from "../texts/texts.ts";

type Link = Why["links"][number];

const ends = {
  root: "why.root",
  limit: "why.limit",
  gone: "why.gone",
  never: "why.never",
} as const;

function readingText({ label, name, value }: WhyReading): string {
  return `${label === "" ? name : label}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

/** What the guard of a rule read when the rule acted. */
function Readings({ link }: { readonly link: Link }): JSX.Element | null {
  const held = link.step?.guards?.filter((guard) => guard.held) ?? [];
  const readings = held.flatMap((guard) => guard.readings.filter(({ decides }) => decides));
  if (readings.length === 0) return null;
  return (
    <ul class="readings">
      {readings.map((reading) => (
        <li key={`${reading.of} ${reading.label} ${reading.name}`}>{readingText(reading)}</li>
      ))}
    </ul>
  );
}

function Chain({ links }: { readonly links: readonly Link[] }): JSX.Element {
  return (
    <ol class="chain">
      {links.map((link) => (
        <li key={link.ref}>
          <time dateTime={new Date(link.at).toISOString()} title={momentOf(link.at)} class="muted">
            {clockOf(link.at)}
          </time>
          <p>{link.text}</p>
          {link.outcome?.message && <p class="problem">{link.outcome.message}</p>}
          <Readings link={link} />
        </li>
      ))}
    </ol>
  );
}

function Answered({ answer }: { readonly answer: Why }): JSX.Element {
  const { links, end, attempts } = answer;
  return (
    <>
      <Chain links={links} />
      {end && <p class="muted">{t(ends[end])}</p>}
      {attempts.length > 0 && (
        <>
          <h3>{t("why.attempts")}</h3>
          <Chain links={attempts} />
        </>
      )}
    </>
  );
}

/** Why an attribute of an object has its value, or had it at a time (ms): the chain of causes, the newest first. */
export function WhySheet(props: {
  readonly id: string;
  readonly attribute: string;
  readonly title: string;
  /** Left out: as the page shows it. */
  readonly at?: number;
  close: () => void;
}): JSX.Element {
  const { id, attribute, title, at = pastTime.value, close } = props;
  const { asked, again } = useAnswer(
    (signal) => why(id, attribute, signal, at),
    `${id} ${attribute} ${at ?? ""}`,
  );
  return (
    <Sheet title={title} close={close}>
      <AnswerFace answer={asked.value} again={again} show={(answer) => <Answered answer={answer} />} />
    </Sheet>
  );
}
