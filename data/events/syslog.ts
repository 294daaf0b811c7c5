/** Facilities of syslog as Redfish names them (DSP2046, EventDestination.SyslogFilters); the index is the code (RFC 5424 6.2.1). */
export const syslogFacilities = [
  'Kern',
  'User',
  'Mail',
  'Daemon',
  'Auth',
  'Syslog',
  'LPR',
  'News',
  'UUCP',
  'Cron',
  'Authpriv',
  'FTP',
  'NTP',
  'Security',
  'Console',
  'SolarisCron',
  'Local0',
  'Local1',
  'Local2',
  'Local3',
  'Local4',
  'Local5',
  'Local6',
  'Local7'
] as const

/** Severities likewise, the gravest first. */
export const syslogSeverities = [
  'Emergency',
  'Alert',
  'Critical',
  'Error',
  'Warning',
  'Notice',
  'Informational',
  'Debug'
] as const

/** The service's own log has one facility, events another. */
export const lineFacility = 'Daemon'
export const eventFacility = 'Local0'

type Severity = (typeof syslogSeverities)[number]

export interface SyslogFilter {
  /** Absent or empty: all. */
  readonly LogFacilities?: readonly (typeof syslogFacilities)[number][] | undefined
  readonly LowestSeverity?: Severity | 'All' | undefined
}

export interface SyslogMessage {
  readonly facility: (typeof syslogFacilities)[number]
  readonly severity: Severity
  /** ISO 8601. */
  readonly time: string
  /** Printable ASCII without a space: the sender's name, and the kind of the message. */
  readonly host: string
  readonly kind: string
  /** JSON. */
  readonly text: string
}

/** The most octets of a message: receivers should take as many (RFC 5425 4.3.1). */
const longest = 8192

export function severityOf(event: 'OK' | 'Warning' | 'Critical'): Severity {
  return event === 'OK' ? 'Informational' : event
}

/** True if a filter lets a message pass, or without filters. */
export function passesSyslog(
  filters: readonly SyslogFilter[],
  { facility, severity }: Pick<SyslogMessage, 'facility' | 'severity'>
): boolean {
  const passes = ({ LogFacilities: facilities = [], LowestSeverity: lowest = 'All' }: SyslogFilter) =>
    (facilities.length === 0 || facilities.includes(facility)) &&
    (lowest === 'All' || syslogSeverities.indexOf(severity) <= syslogSeverities.indexOf(lowest))
  return filters.length === 0 || filters.some(passes)
}

/** A message (RFC 5424) with its length ahead of it (RFC 5425). The JSON is escaped, so that characters are octets. */
export function syslogFrame({ facility, severity, time, host, kind, text }: SyslogMessage): string {
  const priority = syslogFacilities.indexOf(facility) * 8 + syslogSeverities.indexOf(severity)
  const ascii = text.replace(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const message = `<${priority}>1 ${time} ${host.slice(0, 255)} minnow - ${kind.slice(0, 32)} - ${ascii}`
  return `${Math.min(message.length, longest)} ${message.slice(0, longest)}`
}
