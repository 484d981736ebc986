// The ground under and between the festival's areas: lawn, bayou, paths, trees.

/** "x y radius" of each. */
const trees = (
  "40 440 30,86 470 20,330 520 22,395 610 26,520 90 30,566 66 22,620 100 34,690 60 26,720 130 24,540 180 22,700 240 24," +
  "600 226 26,1170 60 26,1160 380 30,1100 400 22,770 610 28,790 700 30,1170 700 32,1110 744 24,30 60 26,500 560 20,440 470 24,740 750 24"
)
  .split(",")
  .map((tree) => tree.split(" ").map(Number) as [number, number, number]);

/** From the gate to the stage, the Purple Room, the food and the stalls. */
const paths =
  "M565 800V560Q560 450 440 410T330 396M565 570Q600 548 625 520M565 580q120 10 245-20M590 480q50-210 220-250M740 480q210-10 230-140";

const ripples = "M20 560h60m30 44h90M30 660h120m40 34h80M60 740h60m60 20h110M170 620h90M300 730h60";

export function MapGround() {
  return (
    <g>
      <path d="M0 0h1200v800H0Z" className="fill-brisket" />
      <path d="M0 0h1200v800H0Z" className="fill-paper" opacity=".62" />
      <path d="M-10 500q120 40 190 10t150 140 110 160h-460Z" className="fill-bayou" />
      <path
        d={ripples}
        fill="none"
        strokeWidth="7"
        strokeLinecap="round"
        className="stroke-paper"
        opacity=".8"
      />
      <path d={paths} fill="none" strokeWidth="44" strokeLinecap="round" className="stroke-paper" />
      <path
        d={paths}
        fill="none"
        strokeWidth="5"
        strokeLinecap="round"
        strokeDasharray="2 16"
        className="stroke-candy"
      />
      {trees.map(([x, y, r]) => (
        <g key={`${x} ${y}`}>
          <circle cx={x + 5} cy={y + 7} r={r} className="fill-ink" />
          <circle cx={x} cy={y} r={r} className="fill-bayou" />
          <circle cx={x - r * 0.28} cy={y - r * 0.28} r={r * 0.5} className="overprint fill-brisket" />
        </g>
      ))}
    </g>
  );
}
