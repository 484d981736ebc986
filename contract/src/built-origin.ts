/** Placeholder for the site's own address in the built pages. The server replaces it. */
export const BUILT_ORIGIN = "https://festival.invalid";
