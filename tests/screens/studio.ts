import type { Page } from "@playwright/test";

/** A page of one width in its own browser, and the camera. */
export interface Studio {
  readonly page: Page;
  readonly width: number;
  /** The lines of `npm run status`. */
  readonly status: Readonly<Record<string, string>>;
  readonly shoot: (name: string) => Promise<void>;
}
