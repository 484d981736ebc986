interface ImportMetaEnv {
  /** Scheme and host the site is published at, no trailing slash. Set at build. */
  readonly SITE_ORIGIN: string;
}
