/** Stands in the built pages where the site's own address belongs; the server writes that in its place. */
export const BUILT_ORIGIN = "https://festival.invalid";
