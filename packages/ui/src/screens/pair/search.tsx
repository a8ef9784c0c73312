import type { JSX } from "preact";
import type { Find } from "../../api/pairing.ts";
import { Button } from "../../parts/button.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { summaryOf } from "../../parts/summary.ts";
import { reasonOf } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";
import { CameraForm } from "./camera.tsx";
import { endingOf, stageOf } from "./finds.ts";
import { lostNameOf, nameOf } from "./follow.ts";
import { namesOf, type Searching, useSearch } from "./searching.ts";
import { learningOf, type Way } from "./ways.ts";
import { Zwave } from "./zwave.tsx";

function Row({
  find,
  choose,
}: {
  readonly find: Find;
  readonly choose: (isKept: boolean) => void;
}): JSX.Element {
  const { status, info, ignored } = find;
  const stage = stageOf(find);
  return (
    <li class="card">
      <label class="check">
        <input type="checkbox" checked={!ignored} onChange={(event) => choose(event.currentTarget.checked)} />
        <strong>{nameOf(find)}</strong>
        <span class="muted">{[status?.manufacturer, status?.model].filter(Boolean).join(" ")}</span>
      </label>
      <p class={stage === "asked" ? "problem" : "muted"}>
        {info ?? t(`stage.${stage}`)}
        {status !== null && stage === "ready" && ` ${summaryOf(status)}`}
      </p>
    </li>
  );
}

/** How the search goes. */
function ProgressLines({ search }: { readonly search: Searching }): JSX.Element {
  const { value: now } = search.progress;
  const n = search.finds.value.size;
  const failure = now.state === "failed" ? reasonOf(now.failure) : "";
  return (
    <>
      <p role="status">
        {now.state === "begins" ? t("pair.begins") : t("pair.found", { n })}
        {now.state === "runs" && now.isShared && ` ${t("pair.shared")}`}
      </p>
      <Problem>{search.problem.value || failure}</Problem>
    </>
  );
}

function howOf(way: Way): string {
  if (way.by === "433") {
    const learning = learningOf(way.kind);
    return t(learning === undefined ? "pair.433Press" : `codesNow.${learning}`, { name: way.kind.name });
  }
  return t(way.by === "mbus" ? "mbus.near" : "pair.near");
}

/** Searches, shows what is found as it comes, and keeps what is chosen. */
export function Search(props: {
  readonly way: Way;
  readonly stop: () => void;
  /** @param ids of what the home keeps @param lost names of what was found and is not kept */
  readonly done: (ids: readonly string[], lost: readonly string[]) => void;
}): JSX.Element {
  const { way, stop, done } = props;
  const search = useSearch(way);
  const { kept, early } = endingOf(search.finds.value);
  const isEnding = search.isEnding.value;
  const keep = async (): Promise<void> => {
    const ending = await search.keep();
    if (ending === undefined) return;
    const ids = ending.kept.map(({ id }) => id);
    done(ids, [...ending.early, ...ending.left].map(lostNameOf));
  };
  const giveUp = async (): Promise<void> => {
    if (await search.giveUp()) stop();
  };
  return (
    <>
      <h1 tabIndex={-1}>{t("pair.searching")}</h1>
      <p>{howOf(way)}</p>
      <ProgressLines search={search} />
      <Zwave isChosen={way.by === "zwave"} />
      {way.by === "search" && way.hasCameras && (
        <details class="card">
          <summary>{t("camera.inSearch")}</summary>
          <CameraForm />
        </details>
      )}
      <ul class="plain" aria-label={t("pair.finds")}>
        {[...search.finds.value.values()].map((find) => (
          <Row key={find.id} find={find} choose={(isKept) => void search.choose(find, isKept)} />
        ))}
      </ul>
      {early.length > 0 && <p>{t("pair.early", { names: namesOf(early) })}</p>}
      <p class="muted">{t("pair.leaving")}</p>
      <div class="row">
        <LiveButton isMain isBlocked={kept.length === 0 || isEnding} onClick={() => void keep()}>
          {t("pair.keep", { n: kept.length })}
        </LiveButton>
        <Button isBlocked={isEnding} onClick={() => void giveUp()}>
          {t("pair.stop")}
        </Button>
      </div>
    </>
  );
}
