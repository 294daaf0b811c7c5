import profiles from '#data/profiles.json' with { type: 'json' }
import { logLevels } from '#runtime/base/log-levels.ts'
import { type Complete, complete, type Schema } from '#runtime/schema'

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
export const configurationSchema = {
  type: 'object',
  properties: {
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
      description: 'Whether clients may not change the port over Redfish'
    },
    simulatedClock: {
      type: 'boolean',
      default: false,
      description: "Whether the service has a clock of its own, which clients may set; it begins as the machine's"
    },
    clockFile: text('', 'A file by which another program sets the clock of the machine; without it clients may not'),
    portFile: text('', 'A file that always has the port, for those who have to know it'),
    data: text('minnow-data', 'Where state, key and certificate are kept'),
    board: text('sim', 'The name of a board in data/boards, or the path of a board file'),
    machine: {
      ...group({
        memory: count(0, 'MiB'),
        cpus: count(0, 'Processors'),
        disk: text('', 'A disk image'),
        diskFormat: text('', 'The format of the disk image'),
        network: text('', "What QEMU's -nic takes"),
        qemu: text('', "QEMU's program"),
        firmware: text('', "OVMF's code"),
        serialLog: count(0, 'Bytes of the log of its serial port')
      }),
      description: "Of a board that is a virtual machine. What is empty or 0 is as in the board's file"
    },
    page: { type: 'boolean', default: true, description: 'Whether browsers get the page at /' },
    origins: {
      type: 'string',
      pattern: '^(\\s*https?://[^/\\s]+)*\\s*$',
      default: '',
      description: 'Origins of reverse proxies, such as https://bmc.example.net, with spaces between them'
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
      description: "Which firmware's messages the service speaks"
    },
    log: { type: 'string', enum: logLevels, default: 'info', description: 'What is written to the log' },
    logSaveEvery: seconds(300, 'How often the last lines of the log are written down, where there are new ones', 0.1),
    limits: group({
      head: count(8192, 'Bytes of the head of a request'),
      body: count(1_048_576, 'Bytes of the body of a request'),
      bodyBeforeLogin: count(4096, 'Bytes of the body of a request without a login'),
      bodies: count(4_194_304, 'Bytes of the bodies of all requests with a login that are under way'),
      bodiesPerUser: count(2_097_152, 'Of these, of one user'),
      unreadAnswers: count(4_194_304, 'Bytes of all answers that clients have not taken yet, but for streams'),
      jsonDepth: count(10, 'Objects and arrays within one another in a body'),
      jsonValues: count(2000, 'Values in a body'),
      parameter: count(256, 'The longest identifier in a path, in characters'),
      connections: count(200, 'Connections at once'),
      connectionsPerAddress: count(64, 'Of one client: an IPv4 address, or an IPv6 network of 64 bits'),
      requestTime: seconds(15, 'A request, head and body, must have arrived within this time'),
      handshakeTime: seconds(10, 'A TLS handshake must be done within this time'),
      keepAlive: seconds(60, 'An idle connection is kept this long'),
      sessions: count(32, 'Sessions at once'),
      accounts: count(16, 'Accounts'),
      trustedCertificates: count(16, "Certification authorities whose signature on a client's certificate is believed"),
      databaseCertificates: count(16, 'In each secure boot database but PK, as clients enrol them'),
      databaseSignatures: count(10, 'In each secure boot database, as clients enrol them'),
      collectionPage: count(250, 'Members of a collection in one answer'),
      logEntries: count(250, 'In each log; the oldest give way to the newest'),
      events: count(256, 'Events that are kept for those who missed them, beyond what waits for a subscriber'),
      subscriptions: count(20, 'Subscriptions'),
      streams: count(10, 'Streams of Server-Sent Events at once'),
      subscriptionHeaders: count(4096, 'The most characters that the HTTP headers of a subscription have together'),
      tasks: count(32, 'Tasks that are kept; those that ended longest ago give way'),
      keytab: count(65_536, 'Bytes of a Kerberos keytab'),
      metricReportDefinitions: count(32, 'Definitions of metric reports'),
      metricValues: count(256, 'The most values in a metric report'),
      volumes: count(16, 'Volumes of a storage controller'),
      biosPending: count(65_536, 'The most characters of pending BIOS values, as JSON'),
      expandLevels: count(6, 'The most levels of $expand'),
      expandResources: count(500, 'The most resources that one $expand or $filter may read'),
      cache: count(524_288, 'The most bytes of cached answers'),
      repeats: count(524_288, 'The most bytes of answers to requests that come again; the binary only'),
      logins: count(2, 'Passwords being checked at once; further logins wait their turn'),
      loginQueue: count(16, 'Logins that wait their turn')
    }),
    sessionTimeout: seconds(1800, 'How long a session may be idle'),
    keytabTime: seconds(10, 'The most that the fetching of a Kerberos keytab may take'),
    watchdogWarning: seconds(10, 'From the diagnostic interrupt of a host whose watchdog timer ran out to the action'),
    bootRetryTime: seconds(10, 'From a boot that failed to the restart that AutomaticRetryConfig asks for'),
    powerLossTime: seconds(5, 'The most that the controller outlives its hosts when the power is lost'),
    eraseTime: seconds(2, 'How long the simulated machine takes to erase each part of a system'),
    presenceAfterLoss: {
      type: 'boolean',
      default: false,
      description: 'Whether, after a loss of all accounts, the password of the first administrator has to be generated'
    },
    password: group({
      minimumLength: count(8, 'Characters'),
      maximumLength: count(64, 'Characters'),
      complexity: { type: 'boolean', default: false, description: 'Three kinds of characters are needed' },
      refuseGuessable: {
        type: 'boolean',
        default: true,
        description: "Passwords that contain the user's name, or that many people have, are refused"
      },
      iterations: count(100_000, 'PBKDF2-HMAC-SHA-256 rounds', 1)
    }),
    media: {
      ...group({
        size: count(4_700_372_992, 'The most bytes of an image that is fetched'),
        time: seconds(3600, 'The most time that the fetching of an image may take'),
        answerTime: seconds(
          30,
          'A connection to its server must stand, an answer begin, and more of it come within this time'
        ),
        answerHead: count(8192, "Bytes of the head of its server's answer"),
        redirects: count(5, 'How often a server may send to another one'),
        hosts: text(
          '',
          'Where images may come from: names and addresses with spaces between them; empty: from everywhere'
        ),
        directory: text('', 'An absolute path: files below it may be inserted as well')
      }),
      description: 'Images for drives that a host sees'
    },
    updates: group({
      size: count(67_108_864, 'The most bytes of an update file'),
      time: seconds(3600, 'The most time that an update file may take to arrive'),
      slowest: count(4096, 'The fewest bytes of an update file that must arrive in a second, on average'),
      period: seconds(30, 'The time over which that average is taken'),
      idle: seconds(5, 'An update file of which nothing has arrived for so long may give way to another one'),
      rate: count(8_388_608, 'The most bytes that are written to a component in a second', 1),
      directory: text('', 'Where update files lie until they are written; empty: below the data directory')
    }),
    events: group({
      retryAttempts: count(3, 'Of a subscription that does not say'),
      retryInterval: seconds(30, 'Of a subscription that does not say'),
      mostQueued: count(3, 'Of a subscription that does not say'),
      mostLinesQueued: count(100, 'Of a subscription to syslog that does not say', 1),
      retireAfter: { type: 'number', minimum: 0, default: 10, description: 'Minutes until an event is retired' },
      connectTime: seconds(10, 'A connection to a subscriber must stand within this time'),
      deliveryTime: seconds(30, 'A delivery must be answered within this time'),
      keepAlive: seconds(60, 'An idle connection to a subscriber is kept this long'),
      answerHead: count(8192, "Bytes of the head of a subscriber's answer"),
      answerBody: count(65_536, "Bytes of the body of a subscriber's answer"),
      deliveries: count(64, 'Notifications on their way to one listener at once, of all controllers of a fleet', 1),
      batch: count(32, 'The most events in one notification'),
      pause: seconds(1, 'Before the next event is tried where the one before it was given up'),
      saveEvery: seconds(0.25, 'What was delivered is written down this often: after a crash, so much comes again'),
      streamKeepAlive: seconds(30, 'A stream without events shows this often that it is alive'),
      streamUnread: count(524_288, 'A client may have so many bytes of a stream unread')
    }),
    console: group({
      history: count(65_536, "Bytes of a host's serial console that can be read afterwards", 1),
      sessions: count(4, 'WebSockets of all consoles at once'),
      keepAlive: seconds(30, 'A client that has said nothing for so long is asked whether it is there', 0.1),
      unread: count(262_144, 'A client may have so many bytes of a console unread')
    }),
    sensors: group({
      interval: seconds(5, 'How often all sensors are read', 1),
      samples: count(720, 'How many samples of each sensor are kept for telemetry', 1)
    }),
    lockout: group({
      threshold: count(5, 'Failed logins'),
      duration: seconds(60, 'How long an account is locked'),
      counterResetAfter: seconds(60, 'After which failed logins are forgotten')
    }),
    store: group({
      cache: count(262_144, "Bytes of LevelDB's cache"),
      writeBuffer: count(262_144, "Bytes of LevelDB's write buffer"),
      reserve: count(524_288, 'Bytes on the disk that are kept for removals, for when it is full'),
      checkpointEvery: seconds(300, 'How often a copy of changed settings is made, for when the store is damaged')
    })
  }
} as const satisfies Schema

export type Configuration = Complete<typeof configurationSchema>

/** The defaults. */
export const configuration: Configuration = complete(configurationSchema)

/** A fault of the command line, the environment or the configuration file, in one line. Exit status 2. */
export class SettingsError extends Error {}
