// PostgreSQL refuses to run as root. On Linux, root starts it as nobody inside a user namespace, which needs no account and
// no chown and works below folders that only root may enter. Any other user starts PostgreSQL's programs directly.

const NAMESPACE = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];
/** Makes PostgreSQL end when Node is killed with kill -9. */
const DIE_WITH_PARENT = ["setpriv", "--pdeathsig", "INT"];

const isRoot = () => process.getuid?.() === 0;

/** The prefix for the command line of PostgreSQL's programs. */
export const asOrdinaryUser = (): readonly string[] => (isRoot() ? [...NAMESPACE, ...DIE_WITH_PARENT] : []);

/** What to do about a failed start; undefined if the failure is PostgreSQL's own. `output` is undefined if nothing ran at all. */
export function refusedToRoot(output: string | undefined): string | undefined {
  if (!isRoot() || (output !== undefined && !/^(unshare|setpriv):/m.test(output))) return undefined;
  return (
    "PostgreSQL does not run as root and this machine allows no user namespaces. " +
    "Start as another user, or set DATABASE_URL to an existing PostgreSQL."
  );
}
