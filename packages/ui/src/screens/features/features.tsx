import type { JSX } from "preact";
import { type FeatureSwitch, featureSwitches, switchFeature } from "../../api/features.ts";
import { useAnswer } from "../../parts/answer.ts";
import { Button } from "../../parts/button.tsx";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { hrefOf } from "../../route.ts";
import { pastTime } from "../../store/clock.ts";
import { change } from "../../store/commands.ts";
import { sync } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { isKey, type Key, t } from "../../texts/texts.ts";

/** The screens where features are set up, and who may do so. */
const setUp: Readonly<
  Record<
    string,
    { readonly screen: string; readonly title: Key; readonly least: Parameters<typeof isAtLeast>[0] }
  >
> = {
  PN_MESSAGING: { screen: "messages", title: "messages.title", least: "USER_ADMIN" },
  MQTT: { screen: "broker", title: "broker.title", least: "OWNER_ADMIN" },
};

/** Returns a text about a feature; its name where the page knows none, empty for how it works. */
function textOf(family: "feature" | "featureHow", feature: string): string {
  const key = `${family}.${feature}`;
  if (isKey(key)) return t(key);
  return family === "feature" ? feature : "";
}

function Row({ of, again }: { readonly of: FeatureSwitch; readonly again: () => void }): JSX.Element {
  const { feature, isOn } = of;
  const name = textOf("feature", feature);
  const turn = async (to: boolean): Promise<void> => {
    const back = async (): ReturnType<typeof switchFeature> => {
      const answer = await switchFeature(feature, isOn);
      again();
      return answer;
    };
    await change(switchFeature(feature, to), t(to ? "features.isOn" : "features.isOff", { name }), back);
    again();
  };
  const more = Object.hasOwn(setUp, feature) ? setUp[feature] : undefined;
  return (
    <li class="card">
      <div class="row">
        <Button
          role="switch"
          class="switch"
          aria-checked={isOn}
          aria-label={name}
          isBlocked={sync.connection.value !== "live"}
          onClick={() => void turn(!isOn)}
        >
          <span class="knob" />
        </Button>
        <h2>{name}</h2>
      </div>
      <p>{textOf("featureHow", feature)}</p>
      {isOn && more !== undefined && isAtLeast(more.least) && (
        <a href={hrefOf(more.screen)}>{t("features.setUp", { name: t(more.title) })}</a>
      )}
    </li>
  );
}

function Switches(): JSX.Element {
  const { asked, again } = useAnswer(featureSwitches, "features");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(features) =>
        features.length === 0 ? (
          <Empty title={t("features.none")}>
            <p>{t("features.noneHow")}</p>
          </Empty>
        ) : (
          <ul class="plain">
            {features.map((of) => (
              <Row key={of.feature} of={of} again={again} />
            ))}
          </ul>
        )
      }
    />
  );
}

/** What this hub can do beyond the home itself, each of which can be off. */
export function FeaturesScreen(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("features.title")}</h1>
      {pastTime.value === null ? (
        <>
          <p>{t("features.how")}</p>
          <Switches />
        </>
      ) : (
        <Empty title={t("system.onlyNow")} />
      )}
    </>
  );
}
