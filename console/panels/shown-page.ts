import type { texts } from "../texts.js";

/** A page that the key may see. */
export interface ShownPage {
  readonly id: keyof typeof texts.pages;
  readonly path: string;
  readonly label: string;
}
