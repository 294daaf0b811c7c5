import type {} from '#runtime/contract'

declare module '#runtime/contract' {
  interface Services {
    readonly configuration: Configuration
  }
}

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
  /**
   * Of a board that is a virtual machine: memory in MiB, processors, a disk image and its format, what QEMU's `-nic`
   * takes, QEMU's program, OVMF's code, bytes of the log of its serial port. What is empty or 0 is as in the board's file.
   */
  machine: { memory: 0, cpus: 0, disk: '', diskFormat: '', network: '', qemu: '', firmware: '', serialLog: 0 },
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
    /** Certification authorities whose signature on a client's certificate is believed. */
    trustedCertificates: 16,
    /** In each secure boot database but PK, as clients enrol them. */
    databaseCertificates: 16,
    databaseSignatures: 10,
    collectionPage: 100,
    /** In each log; the oldest give way to the newest. */
    logEntries: 250,
    /** Events that are kept for those who missed them, beyond what waits for a subscriber. */
    events: 256,
    subscriptions: 20,
    /** Streams of Server-Sent Events at once. */
    streams: 10,
    /** The most characters that the HTTP headers of a subscription have together. */
    subscriptionHeaders: 4096,
    /** Tasks that are kept; those that ended longest ago give way. */
    tasks: 32,
    /** A Kerberos keytab. */
    keytab: 65_536,
    metricReportDefinitions: 32,
    /** The most values in a metric report. */
    metricValues: 256,
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
  /** The most that the fetching of a Kerberos keytab may take. */
  keytabTime: 10,
  /** How long the simulated machine takes to erase each part of a system. */
  eraseTime: 2,
  password: {
    minimumLength: 8,
    maximumLength: 64,
    complexity: false,
    /** PBKDF2-HMAC-SHA-256 rounds. */
    iterations: 100_000
  },
  /** Images for drives that a host sees. */
  media: {
    /** The most bytes of an image that is fetched, and the most time that this may take. */
    size: 4_700_372_992,
    time: 3600,
    /** A connection to its server must stand, an answer begin, and more of it come within this time. */
    answerTime: 30,
    answerHead: 8192,
    /** How often a server may send to another one. */
    redirects: 5,
    /** Where images may come from: names and addresses with spaces between them; empty: from everywhere. */
    hosts: '',
    /** An absolute path: files below it may be inserted as well. */
    directory: ''
  },
  events: {
    /** What a subscription has that says nothing of it. Minutes until an event is retired. */
    retryAttempts: 3,
    retryInterval: 30,
    mostQueued: 3,
    retireAfter: 10,
    /** A connection to a subscriber must stand, and a delivery be answered, within these times. */
    connectTime: 10,
    deliveryTime: 30,
    /** An idle connection to a subscriber is kept this long. */
    keepAlive: 60,
    /** The most bytes of a subscriber's answer. */
    answerHead: 8192,
    answerBody: 65_536,
    /** The most events in one notification. */
    batch: 32,
    /** Before the next event is tried where the one before it was given up. */
    pause: 1,
    /** What was delivered is written down this often: after a crash, so much comes again. */
    saveEvery: 0.25,
    /** A stream without events shows this often that it is alive. */
    streamKeepAlive: 30,
    /** A client may have so many bytes of a stream unread. */
    streamUnread: 524_288
  },
  /** How often all sensors are read, and how many samples of each are kept for telemetry. */
  sensors: { interval: 5, samples: 720 },
  lockout: { threshold: 5, duration: 60, counterResetAfter: 60 },
  /**
   * `reserve`: room that is kept on the disk, to go on with when it is full otherwise. A copy of what is stored, for the
   * case that it is damaged, is made at most this often.
   */
  store: { cache: 262_144, writeBuffer: 262_144, reserve: 524_288, checkpointEvery: 300 }
}

export type Configuration = typeof configuration

/** What is wrong with the command line, the environment or the configuration file, in one line. Exit status 2. */
export class SettingsError extends Error {}
