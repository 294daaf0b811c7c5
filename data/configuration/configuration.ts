import profiles from '#data/profiles.json' with { type: 'json' }
import { logLevels } from '#runtime/base/log-levels.ts'
import { type Complete, complete, object, type Schema } from '#runtime/schema'

declare module '#runtime/contract' {
  interface Services {
    readonly configuration: Configuration
  }
}

const text = (value: string, description: string) => ({ type: 'string', default: value, description }) as const

const count = (value: number, description: string, minimum = 0) =>
  ({ type: 'integer', minimum, default: value, description }) as const

/** Fractions as well. */
const seconds = (value: number, description: string, minimum = 0) =>
  ({ type: 'number', minimum, default: value, description }) as const

const group = <const P extends Schema['properties']>(properties: P) => ({ type: 'object', properties }) as const

/** The values of `AccountService.HTTPBasicAuth`. */
export const basicAuthModes = ['Enabled', 'Unadvertised', 'Disabled'] as const

/** Every setting with its default and its bounds. Times are seconds unless the name says otherwise, sizes bytes. */
export const configurationSchema = object({
  $schema: { type: 'string' },
  address: text('0.0.0.0', 'Address to listen on'),
  port: {
    type: 'integer',
    minimum: 0,
    maximum: 65_535,
    default: 8443,
    description: 'Port to listen on; 0 takes a free one'
  },
  portIsFixed: {
    type: 'boolean',
    default: false,
    description: 'Whether clients are refused a change of the port over Redfish'
  },
  simulatedClock: {
    type: 'boolean',
    default: false,
    description: "Whether the service keeps its own clock, which clients may set; it starts with the machine's time"
  },
  clockFile: text(
    '',
    'A file through which another program sets the clock of the machine; without it, clients cannot set the clock'
  ),
  portFile: text('', 'A file that always contains the port, for other programs'),
  data: text('minnow-data', 'The directory for state, key and certificate'),
  board: text('sim', 'The name of a board in data/boards, or the path of a board file'),
  machine: {
    ...group({
      memory: count(0, 'MiB'),
      cpus: count(0, 'Processors'),
      disk: text('', 'A disk image'),
      diskSize: count(0, 'MiB of the disk image, which is created if it is missing'),
      diskFormat: text('', 'The format of the disk image'),
      network: text('', "The value of QEMU's option -nic"),
      qemu: text('', 'The program of QEMU'),
      firmware: text('', 'The code of OVMF'),
      serialLog: count(0, 'Bytes of the log of the serial port')
    }),
    description: "Settings of a board that is a virtual machine. Empty values and 0 stand for those of the board's file"
  },
  page: { type: 'boolean', default: true, description: 'Whether the service offers the web page at /' },
  origins: {
    type: 'string',
    pattern: '^(\\s*https?://[^/\\s]+)*\\s*$',
    default: '',
    description: 'Origins of reverse proxies, such as https://bmc.example.net, separated by spaces'
  },
  basicAuth: {
    type: 'string',
    enum: basicAuthModes,
    default: 'Enabled',
    description: 'Whether requests may log in with HTTP Basic, and whether a 401 says so'
  },
  profile: {
    type: 'string',
    enum: Object.keys(profiles) as readonly (keyof typeof profiles)[],
    default: 'compact',
    description: 'The form of messages: that of which firmware'
  },
  log: { type: 'string', enum: logLevels, default: 'info', description: 'The lowest level that is logged' },
  logSaveEvery: seconds(300, 'How often new lines of the log are saved', 0.1),
  limits: group({
    head: count(8192, 'Bytes of the head of a request'),
    body: count(1_048_576, 'Bytes of the body of a request'),
    bodyBeforeLogin: count(4096, 'Bytes of the body of a request without a login'),
    bodies: count(4_194_304, 'Bytes of the bodies of all requests in progress with a login'),
    bodiesPerUser: count(2_097_152, 'Bytes of these bodies, for each user'),
    unreadAnswers: count(4_194_304, 'Bytes of all answers that clients have not read yet, without streams'),
    jsonDepth: count(10, 'Nesting of objects and arrays in a body'),
    jsonValues: count(2000, 'Values in a body'),
    parameter: count(256, 'The longest identifier in a path, in characters'),
    connections: count(200, 'Simultaneous connections'),
    connectionsPerAddress: count(
      64,
      'Simultaneous connections of one client: an IPv4 address, or an IPv6 network of 64 bits'
    ),
    requestTime: seconds(15, 'The time for the arrival of a request, head and body'),
    handshakeTime: seconds(10, 'The time for a TLS handshake'),
    keepAlive: seconds(60, 'How long an idle connection stays open'),
    sessions: count(32, 'Simultaneous sessions'),
    accounts: count(16, 'Accounts'),
    roles: count(16, 'Custom roles'),
    trustedCertificates: count(16, 'Certification authorities that are trusted for certificates of clients'),
    databaseCertificates: count(16, 'Certificates that clients can enrol in each secure boot database except PK'),
    databaseSignatures: count(10, 'Signatures that clients can enrol in each secure boot database'),
    collectionPage: count(250, 'Members of a collection in one answer'),
    logEntries: count(250, 'Entries in each log; a new entry replaces the oldest'),
    events: count(256, 'Events that stay stored after their delivery, for clients that missed them'),
    subscriptions: count(20, 'Subscriptions'),
    streams: count(10, 'Simultaneous streams of Server-Sent Events'),
    subscriptionHeaders: count(4096, 'The maximum characters of all HTTP headers of a subscription'),
    tasks: count(32, 'Tasks; a new task replaces the one that ended first'),
    keytab: count(65_536, 'Bytes of a Kerberos keytab'),
    metricReportDefinitions: count(32, 'Definitions of metric reports'),
    metricValues: count(256, 'The maximum values in a metric report, and of metrics that a trigger watches'),
    triggers: count(16, 'Triggers of metrics'),
    volumes: count(16, 'Volumes of a storage controller'),
    biosPending: count(65_536, 'The maximum characters of pending BIOS values, as JSON'),
    expandLevels: count(6, 'The maximum levels of $expand'),
    expandResources: count(500, 'The maximum resources that one $expand or $filter reads'),
    cache: count(524_288, 'The maximum bytes of cached answers'),
    repeats: count(1_048_576, 'The maximum bytes of answers that the binary repeats without the interpreter'),
    logins: count(2, 'Passwords that are checked at the same time; other logins wait'),
    loginQueue: count(16, 'Logins that wait')
  }),
  sessionTimeout: seconds(1800, 'The idle time after which a session ends'),
  keytabTime: seconds(10, 'The maximum time to fetch a Kerberos keytab'),
  watchdogWarning: seconds(
    10,
    'The time between the diagnostic interrupt and the action after the watchdog timer of a host expires'
  ),
  bootRetryTime: seconds(10, 'The time between a failed boot and the restart by AutomaticRetryConfig'),
  powerLossTime: seconds(5, 'How long the controller may run after its hosts in a loss of power'),
  eraseTime: seconds(2, 'How long the simulated machine needs to erase each part of a system'),
  presenceAfterLoss: {
    type: 'boolean',
    default: false,
    description: 'Whether the configured password of the first administrator is ignored after a loss of all accounts'
  },
  password: group({
    minimumLength: count(8, 'Characters'),
    maximumLength: count(64, 'Characters'),
    complexity: { type: 'boolean', default: false, description: 'Whether passwords need three kinds of characters' },
    refuseGuessable: {
      type: 'boolean',
      default: true,
      description: 'Whether passwords that contain the user name, and common passwords, are refused'
    },
    history: { ...count(0, 'Passwords of an account that a new one must differ from'), maximum: 10 },
    expirationDays: count(0, 'Days after which a password expires; 0: never'),
    iterations: count(100_000, 'PBKDF2-HMAC-SHA-256 rounds', 1)
  }),
  directory: {
    ...group({
      connectTime: seconds(5, 'The time to connect to a server, with TLS', 0.1),
      answerTime: seconds(10, 'The time for all that a login asks of a server', 0.1),
      pause: seconds(10, 'The time for which a server that did not answer is left alone'),
      answerBytes: count(262_144, 'Bytes that a server may send in a login', 1),
      groups: count(256, 'Groups of a user, with the groups that these are in', 1),
      logins: count(4, 'Logins that are checked at the same time; others wait', 1),
      queue: count(16, 'Logins that wait')
    }),
    description: 'Users of LDAP and Active Directory'
  },
  enrollment: {
    ...group({
      dnsHook: text('', 'The program that adds and removes records of DNS for the challenge dns-01'),
      dnsHookTime: seconds(60, 'The time for a call of this program', 0.1),
      authorities: text(
        '',
        'A file with the certificates of authorities, PEM, that are trusted beside those of clients'
      ),
      answerTime: seconds(30, 'The time to connect to the server, and for each answer', 0.1),
      answerBytes: count(65_536, 'Bytes of an answer of the server', 1),
      time: seconds(600, 'The time for a renewal', 0.1),
      poll: seconds(2, 'The time between questions whether the server is done', 0.01),
      retryAfter: seconds(300, 'The time until another attempt after a failed one; it doubles with each failure', 0.1),
      retryMost: seconds(86_400, 'The longest such time', 0.1)
    }),
    description: 'Certificates that renew themselves by ACME'
  },
  media: {
    ...group({
      size: count(4_700_372_992, 'The maximum bytes of a fetched image'),
      time: seconds(3600, 'The maximum time to fetch an image'),
      answerTime: seconds(
        30,
        'The time to connect to the server, for the answer to start, and for each further part of it'
      ),
      answerHead: count(8192, "Bytes of the head of the server's answer"),
      redirects: count(5, 'The maximum redirects'),
      hosts: text(
        '',
        'Names and addresses of servers from which images may be fetched, separated by spaces; empty allows all'
      ),
      directory: text('', 'An absolute path; files below it may be inserted as well'),
      files: count(1, 'The maximum files of clients in drives'),
      cache: count(262_144, 'Bytes of the file of a client that are kept'),
      wait: seconds(
        30,
        'The time after which a read of the file of a client fails, and after which a client that is gone is given up'
      )
    }),
    description: 'Images for virtual drives'
  },
  updates: group({
    size: count(67_108_864, 'The maximum bytes of an update file'),
    time: seconds(3600, 'The maximum time for the arrival of an update file'),
    slowest: count(4096, 'The minimum bytes of an update file per second, on average'),
    period: seconds(30, 'The time over which the average is computed'),
    idle: seconds(5, 'The time without data after which another update file may replace an upload'),
    rate: count(8_388_608, 'The maximum bytes written to a component per second', 1),
    directory: text('', 'The directory for update files until they are written; empty: below the data directory')
  }),
  events: group({
    retryAttempts: count(3, 'Delivery attempts of a subscription without a value'),
    retryInterval: seconds(30, 'Time between attempts, of a subscription without a value'),
    mostQueued: count(3, 'Queued events of a subscription without a value'),
    mostLinesQueued: count(100, 'Queued messages of a syslog subscription without a value', 1),
    retireAfter: {
      type: 'number',
      minimum: 0,
      default: 10,
      description: 'Minutes until an undelivered event is dropped'
    },
    connectTime: seconds(10, 'The time to connect to a subscriber'),
    deliveryTime: seconds(30, 'The time for the answer to a delivery'),
    keepAlive: seconds(60, 'How long an idle connection to a subscriber stays open'),
    answerHead: count(8192, "Bytes of the head of a subscriber's answer"),
    answerBody: count(65_536, "Bytes of the body of a subscriber's answer"),
    deliveries: count(64, 'Simultaneous notifications to one listener, of all controllers of a fleet', 1),
    batch: count(32, 'The maximum events in one notification'),
    pause: seconds(1, 'The time before the next event after one was dropped'),
    saveEvery: seconds(
      0.25,
      'How often the progress of deliveries is saved; after a crash, events since then are delivered again'
    ),
    streamKeepAlive: seconds(30, 'How often a stream without events sends a comment'),
    streamUnread: count(524_288, 'The maximum bytes of a stream that a client has not read')
  }),
  console: group({
    history: count(65_536, "Bytes of a host's serial console that stay readable", 1),
    sessions: count(4, 'Simultaneous WebSockets of all consoles'),
    keepAlive: seconds(30, 'The idle time after which the service sends a ping to a client', 0.1),
    unread: count(262_144, 'The maximum bytes of a console that a client has not read')
  }),
  sensors: group({
    interval: seconds(5, 'How often all sensors are read', 1),
    samples: count(120, 'Samples of each sensor that are kept for telemetry; of an hour, each minute is', 1),
    energySaveEvery: seconds(600, 'How often the counted energy is saved; a power cut loses what was counted since')
  }),
  health: group({
    settleTime: seconds(10, 'How long a condition must be over before it counts as over')
  }),
  lockout: group({
    threshold: count(5, 'Failed logins'),
    duration: seconds(60, 'How long an account is locked'),
    counterResetAfter: seconds(60, 'The time after which failed logins no longer count')
  }),
  secondFactor: group({
    enabled: {
      type: 'boolean',
      default: false,
      description: 'Whether logins need a one-time code beside the password'
    },
    algorithm: {
      type: 'string',
      enum: ['SHA1', 'SHA256'],
      default: 'SHA1',
      description: 'The hash of new keys; some authenticators know SHA1 only'
    },
    steps: { ...count(1, 'Time steps of 30 seconds by which a clock may be off, in each direction'), maximum: 10 },
    tries: count(5, 'Wrong codes in a row, from which on the next one has to wait', 1),
    longestWait: seconds(3600, 'The longest time that a code has to wait after wrong ones'),
    recoveryCodes: { ...count(10, 'Recovery codes of an account'), maximum: 100 }
  }),
  store: group({
    cache: count(262_144, "Bytes of LevelDB's cache"),
    writeBuffer: count(262_144, "Bytes of LevelDB's write buffer"),
    reserve: count(524_288, 'Bytes reserved on the disk, so that deletions work when it is full'),
    checkpointEvery: seconds(300, 'How often changed settings are copied, for recovery of a damaged store')
  })
})

export type Configuration = Complete<typeof configurationSchema>

/** The defaults. */
export const configuration: Configuration = complete(configurationSchema)

/** A fault of the command line, the environment or the configuration file, in one line. Exit status 2. */
export class SettingsError extends Error {}
