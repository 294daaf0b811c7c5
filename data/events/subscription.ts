import { definitionUri, reportDefinitionIds } from '#data/telemetry'
import { type Context, fail, mergeArray, type Writes } from '#runtime/contract'
import { display, type Infer } from '#runtime/schema'
import type { subscriptionBody } from './event-destination.ts'
import { messageKeyOf, parseDestination, parseHeaders, parseSyslogDestination } from './events.ts'
import type { EventFilter, Subscription } from './records.ts'
import { eventPrefixes } from './records.ts'

type Wanted = Infer<typeof subscriptionBody>
/** The service goes on with the next event (DSP2046, DeliveryRetryPolicy). */
export const defaultPolicy = 'RetryForever'

type Settings = NonNullable<NonNullable<Wanted['Oem']>['Vendor']>

/** Members that a PATCH may change. */
type Changes = Pick<
  Wanted,
  'Context' | 'DeliveryRetryPolicy' | 'HttpHeaders' | 'RegistryPrefixes' | 'VerifyCertificate'
> & {
  readonly Oem?: { readonly Vendor?: Partial<Settings> | undefined } | undefined
}

/**
 * The subscription that a client asks for, with what it leaves open filled in.
 *
 * @throws MessageError 400 for an invalid destination, headers, report definitions or types of resources, and for
 *   what contradicts the protocol
 */
export function subscriptionFrom(context: Context<never, Wanted>): Subscription {
  const { body, configuration, machine, state } = context
  const isSyslog = body.Protocol === 'SyslogTLS'
  const parse = isSyslog ? parseSyslogDestination : parseDestination
  if (parse(body.Destination) === undefined) {
    // A password may be in it.
    const shown = display(body.Destination, body.Destination.includes('@'))
    fail(400, 'Base.PropertyValueFormatError', shown, 'Destination')
  }
  const known = new Set(reportDefinitionIds(state, machine.board).map(definitionUri))
  const definitions = (body.MetricReportDefinitions ?? []).map((uri) => uri.replace(/\/$/, ''))
  const unknown = definitions.find((uri) => !known.has(uri))
  if (unknown !== undefined) {
    fail(400, 'Base.PropertyValueFormatError', display(unknown, false), 'MetricReportDefinitions')
  }
  const format = body.EventFormatType ?? (isForReports(body.EventTypes) ? 'MetricReport' : 'Event')
  if (body.SubscriptionType != null && (body.SubscriptionType === 'Syslog') !== isSyslog)
    fail(400, 'Base.PropertyValueConflict', 'SubscriptionType', 'Protocol')
  if (body.SyslogFilters !== undefined && !isSyslog)
    fail(400, 'Base.PropertyValueConflict', 'SyslogFilters', 'Protocol')
  if (format === 'MetricReport' && isSyslog) fail(400, 'Base.PropertyValueConflict', 'EventFormatType', 'Protocol')
  const syslog = isSyslog ? (body.SyslogFilters ?? []) : undefined
  const filter = filterFrom(context)
  const { retryAttempts, retryInterval, retireAfter } = configuration.events
  const mostQueued = isSyslog ? configuration.events.mostLinesQueued : configuration.events.mostQueued
  const defaults = {
    context: '',
    headers: '',
    prefixes: defaultPrefixes(filter.messageIds),
    verifyCertificate: false,
    mutualAuthentication: false,
    retryAttempts,
    retryInterval,
    mostQueued,
    retireAfter
  }
  const changes = subscriptionChanges(context, { prefixes: [], ...filter, ...(syslog && { syslog }) })
  const given = Object.entries({ ...filter, syslog, name: body.Name, ...changes }).filter(
    ([, value]) => value !== undefined
  )
  return {
    ...defaults,
    ...Object.fromEntries(given),
    destination: body.Destination,
    format,
    metricReportDefinitions: definitions
  }
}

/** How clients asked for metric reports before there was `EventFormatType` (DSP2046, EventDestination.EventTypes). */
function isForReports(types: Wanted['EventTypes']): boolean {
  return types !== undefined && types.length > 0 && types.every((each) => each === 'MetricReport')
}

/** A subscription to some messages wants none but these, unless it names registries as well. */
function defaultPrefixes(messageIds: readonly string[] = []): Subscription['prefixes'] {
  return messageIds.length > 0 ? [] : eventPrefixes
}

function filterFrom({ body, documents }: Context<never, Wanted>): Partial<EventFilter> {
  const known = resourceTypes(documents)
  const unknown = body.ResourceTypes?.find((type) => !known.includes(type))
  if (unknown !== undefined) fail(400, 'Base.PropertyValueNotInList', display(unknown, false), 'ResourceTypes')
  const filter = {
    messageIds: body.MessageIds?.map(messageKeyOf),
    excludedMessageIds: body.ExcludeMessageIds?.map(messageKeyOf),
    excludedPrefixes: body.ExcludeRegistryPrefixes,
    eventTypes: body.EventTypes,
    severities: body.Severities,
    resourceTypes: body.ResourceTypes,
    origins: body.OriginResources?.map((each) => each['@odata.id'].replace(/\/$/, '')),
    subordinates: body.SubordinateResources ?? undefined
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

/** The types of resources that events may be about: those that the service has schemas of. */
export function resourceTypes(documents: readonly string[]): string[] {
  const names = documents.flatMap((name) => /^schemas\/(\w+)\.v/.exec(name)?.[1] ?? [])
  return [...new Set(names)]
}

/** Removes a subscription, and the events that wait for it. */
export function endSubscription(id: string): Writes {
  return { subscription: { [id]: null }, delivery: { [id]: null } }
}

/**
 * The changes of a subscription that a client asks for.
 *
 * @param present what a PATCH refers to
 * @throws MessageError 400 for headers that are invalid, or have no place in syslog
 */
export function subscriptionChanges(
  { body, configuration, seal }: Pick<Context<never, Changes>, 'body' | 'configuration' | 'seal'>,
  present: Pick<Subscription, 'prefixes' | 'messageIds' | 'syslog'>
) {
  if (body.HttpHeaders !== undefined && present.syslog !== undefined)
    fail(400, 'Base.PropertyValueConflict', 'HttpHeaders', 'Protocol')
  const settings = body.Oem?.Vendor
  const prefixes = body.RegistryPrefixes && mergeArray(present.prefixes, body.RegistryPrefixes)
  return {
    context: body.Context === null ? '' : body.Context,
    headers: sealedHeaders(body.HttpHeaders, configuration.limits.subscriptionHeaders, seal),
    prefixes: prefixes?.length === 0 ? defaultPrefixes(present.messageIds) : prefixes,
    retryPolicy: body.DeliveryRetryPolicy === null ? defaultPolicy : body.DeliveryRetryPolicy,
    verifyCertificate: body.VerifyCertificate,
    mutualAuthentication: settings?.MutualAuthenticationEnabled,
    retryAttempts: settings?.DeliveryRetryAttempts,
    retryInterval: settings?.DeliveryRetryIntervalInSeconds,
    mostQueued: settings?.RequestedMaxEventsToQueue,
    retireAfter: settings?.RetireOldEventInMinutes
  }
}

function sealedHeaders(given: unknown, longest: number, seal: (text: string) => string): string | undefined {
  if (given === undefined) return undefined
  const headers = parseHeaders(given, longest) ?? fail(400, 'Base.PropertyValueFormatError', '******', 'HttpHeaders')
  return Object.keys(headers).length === 0 ? '' : seal(JSON.stringify(headers))
}
