/**
 * The festival's time zone. Statistics count days in it, so it is not an editable fact. In a file of its own, so a browser
 * loads nothing else with it.
 */
export const TIME_ZONE = "America/Chicago";
