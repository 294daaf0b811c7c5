import { definitionUri, reportDefinitionIds } from '#data/telemetry'
import { type Context, display, fail, type Infer, mergeArray } from '#runtime/contract'
import type { subscriptionBody } from './event-destination.ts'
import { parseDestination, parseHeaders } from './events.ts'
import type { Subscription } from './records.ts'
import { eventPrefixes } from './records.ts'

type Wanted = Infer<typeof subscriptionBody>
type Settings = NonNullable<NonNullable<Wanted['Oem']>['Vendor']>

/** Members that a PATCH may change. */
type Changes = Pick<Wanted, 'Context' | 'HttpHeaders' | 'RegistryPrefixes' | 'VerifyCertificate'> & {
  readonly Oem?: { readonly Vendor?: Partial<Settings> | undefined } | undefined
}

/**
 * The subscription that a client asks for, with what it leaves open filled in.
 *
 * @throws MessageError 400 for a destination, headers or report definitions that are none
 */
export function subscriptionFrom(context: Context<never, Wanted>): Subscription {
  const { body, configuration, machine, state } = context
  if (parseDestination(body.Destination) === undefined) {
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
  const { retryAttempts, retryInterval, mostQueued, retireAfter } = configuration.events
  const defaults = {
    context: '',
    headers: '',
    prefixes: eventPrefixes,
    verifyCertificate: false,
    mutualAuthentication: false,
    retryAttempts,
    retryInterval,
    mostQueued,
    retireAfter
  }
  const given = Object.entries(subscriptionChanges(context)).filter(([, value]) => value !== undefined)
  return {
    ...defaults,
    ...Object.fromEntries(given),
    destination: body.Destination,
    format: body.EventFormatType ?? 'Event',
    metricReportDefinitions: definitions
  }
}

/**
 * The changes of a subscription that a client asks for.
 *
 * @param present the prefixes that a PATCH of them refers to
 * @throws MessageError 400 for headers that are none
 */
export function subscriptionChanges(
  { body, configuration, seal }: Pick<Context<never, Changes>, 'body' | 'configuration' | 'seal'>,
  present: Subscription['prefixes'] = []
) {
  const settings = body.Oem?.Vendor
  const prefixes = body.RegistryPrefixes && mergeArray(present, body.RegistryPrefixes)
  return {
    context: body.Context === null ? '' : body.Context,
    headers: sealedHeaders(body.HttpHeaders, configuration.limits.subscriptionHeaders, seal),
    prefixes: prefixes?.length === 0 ? eventPrefixes : prefixes,
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
