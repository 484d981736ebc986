// The festival's pictures, apart from its sections: every page names its own, and only the back office knows the rest.

/** In pixels. A sharing card is cropped to this size. */
export const cardSize = { width: 1200, height: 630 } as const;

export const FESTIVAL_PICTURES = "festival-pictures";
