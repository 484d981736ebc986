// What lies under and between the festival's areas: lawn, bayou, paths, trees.

const trees = [
  [40, 440, 30], [86, 470, 22], [150, 560, 34], [206, 600, 26], [110, 620, 24], [300, 560, 24], [340, 600, 32], [270, 660, 28],
  [520, 90, 30], [566, 66, 22], [620, 100, 34], [690, 60, 26], [720, 130, 24], [540, 180, 22], [700, 240, 24], [640, 210, 28],
  [1170, 60, 26], [1160, 380, 30], [1100, 396, 22], [760, 600, 28], [790, 690, 30], [1170, 700, 32], [1110, 720, 24], [30, 60, 26],
  [500, 560, 20], [440, 470, 24], [60, 720, 30], [190, 730, 22],
] as const;

export function MapGround() {
  return (
    <g>
      <path d="M0 0h1200v800H0Z" className="fill-brisket" />
      <path d="M0 0h1200v800H0Z" className="fill-paper" opacity=".62" />
      {/* The bayou. */}
      <path d="M-10 500q120 40 190 10t150 140 110 160h-460Z" className="fill-bayou" />
      <path d="M20 560h60m30 44h90M30 660h120m40 34h80M60 740h60m60 20h110M250 610h50" fill="none" strokeWidth="7" strokeLinecap="round" className="stroke-paper" opacity=".8" />
      {/* Paths. */}
      <g fill="none" strokeLinecap="round" className="stroke-paper">
        <path d="M565 690V560Q560 440 470 380L300 330M565 560q10-40 60-80M600 560q120 10 200-10M640 330q20-110 160-120M750 430q120-20 210-20V340M300 400q120 160 265 180" strokeWidth="44" />
      </g>
      <g fill="none" strokeLinecap="round" strokeDasharray="2 16" className="stroke-candy">
        <path d="M565 690V560Q560 440 470 380L300 330M600 560q120 10 200-10M640 330q20-110 160-120M750 430q120-20 210-20V340" strokeWidth="5" />
      </g>
      {trees.map(([x, y, r]) => (
        <g key={`${x} ${y}`}>
          <circle cx={x + 5} cy={y + 7} r={r} className="fill-ink" />
          <circle cx={x} cy={y} r={r} className="fill-bayou" />
          <circle cx={x - r * 0.28} cy={y - r * 0.28} r={r * 0.5} className="fill-brisket overprint" />
        </g>
      ))}
    </g>
  );
}
