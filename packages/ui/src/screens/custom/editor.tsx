import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { RuleDiagram } from "@ledge/model";
import type { Answer } from "../../api/call.ts";
import { drawSource, removeCustomRule, sendSource, type Tried } from "../../api/custom-rules.ts";
import { pause } from "../../browser.ts";
import { Diagram } from "../../diagram/diagram.tsx";
import { momentOf } from "../../format.ts";
import { type Asked, useAnswer } from "../../parts/answer.ts";
import { Button } from "../../parts/button.tsx";
import { DraftBar, DraftLine, useDraft } from "../../parts/draft.tsx";
import { Failed, Loading } from "../../parts/faces.tsx";
import { hrefOf } from "../../route.ts";
import { change } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { Doings } from "./doings.tsx";
import { lineAt, rangeOfLine, type SourceFault, sourceFaults, testsIn } from "./source.ts";

/** How long nobody types before the source is read. */
const restMs = 500;

/** What is wrong with the source, each with a way to its line. */
function Faults(of: {
  readonly faults: readonly SourceFault[];
  toLine: (line: number) => void;
}): JSX.Element {
  return (
    <div id="source-faults" role="alert">
      <ul class="plain">
        {of.faults.map(({ path, message, line }) => (
          <li key={`${path} ${message}`} class="problem">
            {path !== "" && <code>{path}</code>} {message}{" "}
            {line !== null && (
              <button type="button" class="button quiet" onClick={() => of.toLine(line)}>
                {t("custom.line", { line })}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What came of trying a source. */
function Trial({ of, tests }: { readonly of: Tried; readonly tests: number }): JSX.Element {
  const { dryRun } = of;
  return (
    <div role="status">
      <p>{tests === 0 ? t("custom.noTests") : t("custom.tests", { n: tests })}</p>
      {dryRun === null ? (
        <p>{t("custom.noDevices")}</p>
      ) : (
        <>
          <p>{t("whatif.count", { n: dryRun.firings, from: momentOf(dryRun.from) })}</p>
          <p>{t("custom.commands", { n: dryRun.commandCount, most: dryRun.mostPerMinute })}</p>
          {dryRun.faults.map(({ at, reason }) => (
            <p key={`${at} ${reason}`} class="problem">{`${momentOf(at)}: ${reason}`}</p>
          ))}
          {dryRun.stopped.map(({ at }) => (
            <p key={at} class="problem">
              {t("custom.stopped", { time: momentOf(at) })}
            </p>
          ))}
        </>
      )}
    </div>
  );
}

type Sent = Asked<Tried> | null;

interface Sending {
  readonly source: string;
  readonly sent: Signal<Sent>;
  readonly type: string | null;
  readonly installed: () => void;
}

/** Checks the source, installs it, and removes what is installed. */
function Deeds({ source, sent, type, installed }: Sending): JSX.Element {
  const isBlocked = sync.connection.value !== "live" || sent.value?.state === "loading";
  const send = async (installs: boolean): Promise<Answer<Tried>> => {
    sent.value = { state: "loading" };
    const answer = await sendSource(source, installs);
    sent.value = answer.ok ? { state: "done", value: answer.value } : { state: "failed", failure: answer };
    return answer;
  };
  const install = async (): Promise<void> => {
    const answer = await send(true);
    if (!answer.ok) return;
    installed();
    const { configType } = answer.value;
    await change(Promise.resolve(answer), t("custom.installed", { type: configType }));
    location.hash = hrefOf("custom", configType);
  };
  const remove = async (of: string): Promise<void> => {
    if (await change(removeCustomRule(of), t("rules.removed", { name: of })))
      location.hash = hrefOf("custom");
  };
  const isUsed = home.of.rules.ids.value.some((id) => home.of.rules.of(id).value?.config.configType === type);
  return (
    <div class="row">
      <Button isBlocked={isBlocked} onClick={() => void send(false)}>
        {t("custom.check")}
      </Button>
      <Button isMain isBlocked={isBlocked} onClick={() => void install()}>
        {t("custom.install")}
      </Button>
      {type !== null && (
        <a class="button" href={hrefOf("rule", null, { type })}>
          {t("rules.new")}
        </a>
      )}
      {type !== null && !isUsed && (
        <Button isBlocked={isBlocked} onClick={() => void remove(type)}>
          {t("rules.remove", { name: type })}
        </Button>
      )}
    </div>
  );
}

function Drawing({ asked, again }: { readonly asked: Asked<RuleDiagram>; again: () => void }): JSX.Element {
  const last = useRef<RuleDiagram | null>(null);
  if (asked.state === "done") last.current = asked.value;
  const { current: of } = last;
  return (
    <div class="card">
      <h2>{t("diagram.title")}</h2>
      {asked.state === "failed" && asked.failure.errors.length === 0 && (
        <Failed failure={asked.failure} again={again} />
      )}
      {asked.state === "loading" && of === null && <Loading />}
      {of !== null && <Diagram of={of} label={t("diagram.title")} />}
    </div>
  );
}

/** The source of a custom rule, what is wrong with it, its machine, and what came of trying it. @param type that is installed; null for none @param name under which the browser keeps what is typed */
export function Editor({
  start,
  type,
  name,
}: {
  readonly start: string;
  readonly type: string | null;
  readonly name: string;
}): JSX.Element {
  const source = useSignal(start);
  const drafting = useDraft(`custom ${name}`, start, String, source);
  const line = useSignal(1);
  const sent = useSignal<Sent>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const { value: text } = source;
  const { asked, again } = useAnswer(async (signal) => {
    if (text !== start) await pause(restMs, signal);
    return drawSource(text, signal);
  }, text);
  const { value: drawn } = asked;
  const { value: tried } = sent;
  const errors =
    tried?.state === "failed" ? tried.failure.errors : drawn.state === "failed" ? drawn.failure.errors : [];
  const faults = sourceFaults(errors);
  const toLine = (to: number): void => {
    const { current } = area;
    if (current === null) return;
    current.focus();
    current.setSelectionRange(...rangeOfLine(text, to));
    current.scrollTop = ((to - 4) / text.split("\n").length) * current.scrollHeight;
  };
  return (
    <>
      <div class="card">
        <DraftBar of={drafting} />
        <label for="source">{t("custom.source")}</label>
        <textarea
          id="source"
          ref={area}
          class="source"
          rows={20}
          spellcheck={false}
          autoComplete="off"
          aria-invalid={faults.length > 0}
          aria-describedby="source-faults"
          value={text}
          onInput={(event) => {
            source.value = event.currentTarget.value;
            sent.value = null;
          }}
          onSelect={(event) => (line.value = lineAt(text, event.currentTarget.selectionStart))}
        />
        <p class="muted">{t("custom.line", { line: line.value })}</p>
        <Faults faults={faults} toLine={toLine} />
        {tried?.state === "failed" && errors.length === 0 && <Failed failure={tried.failure} again={again} />}
        {tried?.state === "loading" && <p role="status">{t("custom.trying")}</p>}
        {tried?.state === "done" && <Trial of={tried.value} tests={testsIn(text)} />}
        <Deeds source={text} sent={sent} type={type} installed={drafting.done} />
        <DraftLine of={drafting} />
      </div>
      <Drawing asked={drawn} again={again} />
      {type !== null && <Doings type={type} />}
    </>
  );
}
