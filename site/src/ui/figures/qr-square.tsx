import QRCode from "qrcode";

/** Light modules around a code, without which scanners do not find it. */
const QUIET = 4;

export function QrSquare({ text, label }: { text: string; label: string }) {
  const { data, size } = QRCode.create(text, { errorCorrectionLevel: "M" }).modules;
  let dark = "";
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) if (data[y * size + x]) dark += `M${x} ${y}h1v1h-1z`;
  }
  const whole = size + 2 * QUIET;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${whole} ${whole}`}
      shapeRendering="crispEdges"
      className="mx-auto block w-full max-w-72"
    >
      <rect x={-QUIET} y={-QUIET} width={whole} height={whole} className="fill-white" />
      <path d={dark} />
    </svg>
  );
}
