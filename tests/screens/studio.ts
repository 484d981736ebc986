import type { Page } from "@playwright/test";

/** A page of one width in a browser of its own, and the camera before it. */
export interface Studio {
  readonly page: Page;
  readonly width: number;
  /** The lines of `npm run status`. */
  readonly status: Readonly<Record<string, string>>;
  readonly shoot: (name: string) => Promise<void>;
}
