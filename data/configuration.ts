/**
 * Every setting with its default; the shape of the configuration file. Times are seconds unless the name says
 * otherwise, sizes bytes.
 */
export const configuration = {
  address: '0.0.0.0',
  port: 8443,
  data: 'minnow-data',
  /** The name of a board in `data/boards`, or the path of a board file. */
  board: 'sim',
  /** Which firmware's messages the service speaks: `compact` or `verbose`. */
  profile: 'compact',
  log: 'info',
  limits: {
    head: 8192,
    body: 1_048_576,
    bodyBeforeLogin: 4096,
    jsonDepth: 10,
    jsonValues: 2000,
    /** The longest identifier in a path, in characters. */
    parameter: 256,
    connections: 200,
    /** A request, head and body, must have arrived within this time. */
    requestTime: 15,
    handshakeTime: 10,
    keepAlive: 60,
    sessions: 32,
    accounts: 16,
    /** In each secure boot database but PK, as clients enrol them. */
    databaseCertificates: 16,
    databaseSignatures: 10,
    collectionPage: 100,
    /** In each log; the oldest give way to the newest. */
    logEntries: 250,
    /** Of a storage controller. */
    volumes: 16,
    /** The most characters of pending BIOS values, as JSON. */
    biosPending: 65_536,
    expandLevels: 6,
    /** The most resources that one `$expand` or `$filter` may read. */
    expandResources: 500,
    /** The most bytes of kept answers. */
    cache: 524_288,
    /** Passwords being checked at once; further logins wait their turn, up to `loginQueue`. */
    logins: 2,
    loginQueue: 16
  },
  sessionTimeout: 1800,
  password: {
    minimumLength: 8,
    maximumLength: 64,
    complexity: false,
    /** PBKDF2-HMAC-SHA-256 rounds. */
    iterations: 100_000
  },
  lockout: { threshold: 5, duration: 60, counterResetAfter: 60 },
  store: { cache: 262_144, writeBuffer: 262_144 }
}

export type Configuration = typeof configuration
