/** The festival's. Statistics count days in it, so it is no fact to edit. Alone in its file: a browser loads no more for it. */
export const TIME_ZONE = "America/Chicago";
