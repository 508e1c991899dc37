import type { MeasureEventDraft } from "../../../client/index.js";
import { type RandomSource, WeightedChoice } from "./random-source.js";

type User = MeasureEventDraft["user"];

/** Someone who comes back, from the same place and with the same device. */
export interface SampleVisitor {
  readonly user: User;
  /** Hours that the visitor's clock is ahead of UTC. */
  readonly hoursAhead: number;
  readonly isOnPhone: boolean;
}

interface Place {
  readonly country: string;
  readonly region: string;
  readonly city: string;
  readonly locale: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly hoursAhead: number;
}

const PLACES: readonly Place[] = [
  place(["DE", "Berlin", "Berlin", "de-DE"], [52.52, 13.4, 1]),
  place(["DE", "Bayern", "München", "de-DE"], [48.14, 11.58, 1]),
  place(["US", "California", "San Francisco", "en-US"], [37.77, -122.42, -8]),
  place(["US", "New York", "New York", "en-US"], [40.71, -74.01, -5]),
  place(["FR", "Île-de-France", "Paris", "fr-FR"], [48.86, 2.35, 1]),
  place(["GB", "England", "London", "en-GB"], [51.51, -0.13, 0]),
  place(["IN", "Karnataka", "Bengaluru", "en-IN"], [12.97, 77.59, 5.5]),
  place(["BR", "São Paulo", "São Paulo", "pt-BR"], [-23.55, -46.63, -3]),
  place(["PT", "Norte", "Porto", "pt-PT"], [41.15, -8.61, 0]),
  place(["PL", "Mazowieckie", "Warszawa", "pl-PL"], [52.23, 21.01, 1]),
  place(["JP", "Tokyo", "Tokyo", "ja-JP"], [35.68, 139.69, 9]),
  place(["AU", "Victoria", "Melbourne", "en-AU"], [-37.81, 144.96, 10]),
];
const PLACE_WEIGHTS = [14, 9, 12, 9, 11, 9, 10, 7, 4, 6, 5, 4];

const SYSTEMS = new WeightedChoice(
  [
    system("Linux", "desktop", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
    system("Windows", "desktop", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0"),
    system(
      "Mac",
      "desktop",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15",
    ),
    system("Android", "mobile", "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile"),
    system("iOS", "mobile", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15"),
  ],
  [38, 27, 17, 12, 6],
);

/** One in so many has an account. */
const WITH_ACCOUNT = 0.35;
/** Few come often, many once. */
const LOYALTY_POWER = 0.7;

/** The people who use the sample's search, drawn by how often they come. */
export function sampleVisitors(count: number, random: RandomSource): WeightedChoice<SampleVisitor> {
  const places = new WeightedChoice(PLACES, PLACE_WEIGHTS);
  const visitors = Array.from({ length: count }, (_, i): SampleVisitor => {
    const { hoursAhead, ...where } = places.draw(random);
    const { os, platform, userAgent } = SYSTEMS.draw(random);
    const number = String(i + 1).padStart(4, "0");
    return {
      user: {
        user_id: `demo-visitor-${number}`,
        user_type: random.chance(WITH_ACCOUNT) ? "authenticated" : "anonymous",
        device_id: `demo-device-${number}`,
        os,
        platform,
        user_agent: userAgent,
        // Of the networks that documentation may name: nobody's address.
        client_ip: `203.0.113.${i % 256}`,
        sdk_name: "findling-demo",
        sdk_version: "1",
        ...where,
      },
      hoursAhead,
      isOnPhone: platform === "mobile",
    };
  });
  return WeightedChoice.zipf(visitors, LOYALTY_POWER);
}

function place(
  [country, region, city, locale]: readonly [string, string, string, string],
  [latitude, longitude, hoursAhead]: readonly [number, number, number],
): Place {
  return { country, region, city, locale, latitude, longitude, hoursAhead };
}

function system(
  os: string,
  platform: "desktop" | "mobile",
  userAgent: string,
): { readonly os: string; readonly platform: "desktop" | "mobile"; readonly userAgent: string } {
  return { os, platform, userAgent };
}
