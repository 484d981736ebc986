// A halftone screen whose dots grow toward one side. Every row is one line of round dashes, so a whole tone needs only a
// few elements.

interface HalftoneProps {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Distance between dots. */
  pitch?: number;
  /** Dot diameter of the first and of the last row. */
  from: number;
  to: number;
  className?: string;
}

export function Halftone({ x, y, width, height, pitch = 12, from, to, className }: HalftoneProps) {
  const rows = Math.floor(height / pitch);
  return (
    <g
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeDasharray={`0 ${pitch}`}
      className={className}
    >
      {Array.from({ length: rows }, (_, row) => {
        const offset = row % 2 ? pitch / 2 : 0;
        const size = from + ((to - from) * row) / Math.max(1, rows - 1);
        return (
          <path
            key={row}
            d={`M${x + offset} ${y + row * pitch}h${width - offset}`}
            strokeWidth={Math.round(size * 10) / 10}
          />
        );
      })}
    </g>
  );
}
