import { Sign } from "../icons.tsx";

interface ScannerBarProps {
  /** A result covers it. */
  isCovered: boolean;
  /** Undefined when the camera has no torch. */
  torch: boolean | undefined;
  onTorch: () => void;
  /** Undefined while re-entry is off. */
  direction: "in" | "out" | undefined;
  onDirection: (direction: "in" | "out") => void;
  onSearch: () => void;
  onRecent: () => void;
  onMenu: () => void;
}

/** The buttons under the thumb. */
export function ScannerBar(props: ScannerBarProps) {
  const { isCovered, torch, direction } = props;
  return (
    <div className="gate-foot" inert={isCovered}>
      {direction && <Directions chosen={direction} onChoose={props.onDirection} />}
      <nav className="gate-bar" aria-label="Gate">
        <button type="button" onClick={props.onSearch}>
          <Sign of="search" />
          Search
        </button>
        <button type="button" onClick={props.onRecent}>
          <Sign of="recent" />
          Recent
        </button>
        {torch !== undefined && (
          <button type="button" aria-pressed={torch} onClick={props.onTorch}>
            <Sign of="torch" />
            Torch
          </button>
        )}
        <button type="button" onClick={props.onMenu}>
          <Sign of="menu" />
          Menu
        </button>
      </nav>
    </div>
  );
}

const directions = { in: "In", out: "Out" } as const;

function Directions(props: { chosen: "in" | "out"; onChoose: (direction: "in" | "out") => void }) {
  return (
    <fieldset className="gate-directions">
      <legend className="sr-only">Scanning</legend>
      {(["in", "out"] as const).map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="direction"
            checked={props.chosen === one}
            onChange={() => props.onChoose(one)}
          />
          {directions[one]}
        </label>
      ))}
    </fieldset>
  );
}
