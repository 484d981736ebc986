interface ImportMetaEnv {
  /** Scheme and host the site is published at, without a trailing slash. Set at build. */
  readonly SITE_ORIGIN: string;
  /**
   * The content the site is built with, as JSON (contract/festival/facts's Content). Not part of any browser
   * script.
   */
  readonly FIRST_CONTENT: string;
}
