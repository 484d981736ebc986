interface ImportMetaEnv {
  /** Scheme and host the site is published at, no trailing slash. Set at build. */
  readonly SITE_ORIGIN: string;
  /** What the site is built with, as JSON (contract/festival's Content). In no script of the browser. */
  readonly FIRST_CONTENT: string;
}
