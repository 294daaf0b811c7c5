import { aliasesOf, typeAt } from './aliases.ts'
import { isLeftOut, redacted, withoutPersons } from './redaction/redact.ts'
import { isObject, type Resource, type Resources, typeOf } from './resources.ts'
import { causeOf } from './serving/live.ts'
import type { Answered } from './trial.ts'

/** `live`: what differs is Minnow's own behaviour. */
export type Verdict = 'equal' | 'live' | 'different' | 'missing'

/** A resource of a source, compared with what a recording shows in its place. */
export interface Compared {
  readonly path: string
  readonly verdict: Verdict
  /** The reasons, each with the members that differ for it. A missing resource has no members. */
  readonly reasons: ReadonlyMap<string, readonly string[]>
  /** Whether the manual lists all of the reasons: see docs/record.md. */
  readonly isListed: boolean
}

/** Types of which members change from one moment to the next, and members of others that do. */
const momentary = /^(Sensor|Thermal|Power|\w+Metrics|MetricReport)$/
const momentaryName = /reading|datetime|timestamp|uptime|lastresettime/i

/** The reasons of a difference that a source or a recording has, beside those of `causeOf`. */
const [redactedOne, moment, other, changed] = ['redacted', 'measured', 'another value', 'not as recorded']
/** The reasons for which a resource is missing. */
const [personal, unrecorded] = ['personal', 'not recorded']

/** Reasons that call for a look at the recording. */
const unlisted = (reason: string) => [other, changed, unrecorded].includes(reason) || reason.startsWith('status ')

/**
 * Compares each resource of a source with what the service shows of a recording.
 *
 * @param get reads a resource of the service
 */
export async function* compared(
  source: Resources,
  recording: Resources,
  get: (path: string) => Promise<Answered>
): AsyncGenerator<Compared> {
  const aliases = aliasesOf(recording)
  const public_ = withoutPersons(source)
  const published = publishedAs(public_, recording)
  const verdict = (path: string, verdict: Verdict, reasons: ReadonlyMap<string, readonly string[]>): Compared => ({
    ...{ path, verdict, reasons },
    isListed: ![...reasons.keys()].some(unlisted)
  })
  for (const [path, given] of source) {
    const missing = (reason: string) => verdict(path, 'missing', new Map([[reason, []]]))
    const resource = public_.get(path) ?? given
    const [place, clean] = published.get(path) ?? [path, resource]
    const recorded = recording.get(place)
    if (recorded === undefined) {
      yield missing(isLeftOut(typeOf(resource)) ? personal : unrecorded)
      continue
    }
    const { status, text } = await get(place)
    const shown = status === 200 ? (JSON.parse(text) as unknown) : undefined
    if (!isObject(shown)) {
      yield missing(`status ${status}`)
      continue
    }
    const type = typeAt(place, recorded, aliases)
    const { differences, isLive } = differencesOf(type, resource, clean, recorded, shown)
    const isPerson = resource !== given && isLeftOut(type)
    const reasons = isPerson ? new Map([...differences, [personal, []]]) : differences
    yield verdict(path, reasons.size === 0 ? 'equal' : isLive && !isPerson ? 'live' : 'different', reasons)
  }
}

/**
 * The resources of a source as they are published, by the paths of the source: redacted like the recording, which does
 * not say whether that was done with `--redact`.
 */
function publishedAs(source: Resources, recording: Resources): ReadonlyMap<string, readonly [string, Resource]> {
  const versions = [false, true].map((more) => {
    const clean = [...redacted(source, more)]
    const same = clean.filter(([path, resource]) => JSON.stringify(recording.get(path)) === JSON.stringify(resource))
    return { clean, same: same.length }
  })
  const { clean } = versions.reduce((best, each) => (each.same > best.same ? each : best))
  return new Map([...source.keys()].map((path, index) => [path, clean[index]!]))
}

/** The members that differ by reasons, and whether all of them are live. */
function differencesOf(type: string, resource: Resource, clean: Resource, recorded: Resource, shown: Resource) {
  const differences = new Map<string, string[]>()
  let isLive = true
  const differs = (reason: string, path: string, live: boolean) => {
    const [first, second] = path.split('/')
    const member = reason === 'added' || second === undefined || /^\d+$/.test(second) ? first! : `${first}/${second}`
    const members = differences.get(reason) ?? []
    differences.set(reason, members)
    if (!members.includes(member)) members.push(member)
    isLive &&= live
  }
  const { '@odata.etag': _, ...body } = shown
  const [before, now] = [new Map(leavesOf(recorded)), new Map(leavesOf(body))]
  const publishedLeaves = leavesOf(clean)
  const own = new Set<string>()
  for (const [index, [path, value]] of leavesOf(resource).entries()) {
    const [place, public_] = publishedLeaves[index]!
    own.add(place)
    if (now.get(place) === value) continue
    const cause = causeOf(type, place, false)
    if (now.get(place) !== before.get(place)) differs(cause ?? changed, path, cause !== undefined)
    else if (value !== public_) differs(redactedOne, path, false)
    else differs(momentary.test(type) || momentaryName.test(path) ? moment : other, path, false)
  }
  for (const place of now.keys()) {
    if (own.has(place)) continue
    const cause = causeOf(type, place, !before.has(place))
    if (before.has(place) && now.get(place) === before.get(place))
      differs(momentary.test(type) ? moment : other, place, false)
    else differs(cause ?? changed, place, cause !== undefined)
  }
  return { differences, isLive }
}

/** The values in a resource that have no members, by their paths with slashes; those of empty objects and lists too. */
function leavesOf(value: unknown, path = ''): [path: string, value: unknown][] {
  const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0
  if (isEmpty) return [[path, typeof value === 'object' ? JSON.stringify(value) : value]]
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, path === '' ? name : `${path}/${name}`))
}
