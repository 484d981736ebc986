// Shapes that are easier to compute than to draw. Coordinates are rounded because they are part of the HTML.

const round = (value: number) => Math.round(value * 10) / 10;

export function point(cx: number, cy: number, radius: number, degrees: number): string {
  const angle = (degrees * Math.PI) / 180;
  return `${round(cx + radius * Math.cos(angle))} ${round(cy + radius * Math.sin(angle))}`;
}

/** A path of `count` straight spokes between two radii. */
export function spokes(cx: number, cy: number, inner: number, outer: number, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const degrees = (index * 360) / count;
    return `M${point(cx, cy, inner, degrees)}L${point(cx, cy, outer, degrees)}`;
  }).join("");
}

/** A closed star with `count` tips. */
export function starburst(cx: number, cy: number, inner: number, outer: number, count: number): string {
  const corners = Array.from({ length: count * 2 }, (_, index) =>
    point(cx, cy, index % 2 ? inner : outer, (index * 180) / count - 90),
  );
  return `M${corners.join("L")}Z`;
}

/** Filled wedges of light around a center, alternating with gaps. */
export function rays(cx: number, cy: number, radius: number, count: number): string {
  const step = 360 / count / 2;
  return Array.from({ length: count }, (_, index) => {
    const degrees = index * step * 2;
    return `M${cx} ${cy}L${point(cx, cy, radius, degrees)}L${point(cx, cy, radius, degrees + step)}Z`;
  }).join("");
}
