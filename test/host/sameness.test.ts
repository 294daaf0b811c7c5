import t from 'tap'
import { needing } from './every-host.ts'
import { hosts } from './hosts.ts'
import { links } from './links.ts'
import { copyOf, type Server, start } from './server.ts'

const [first, ...others] = hosts

t.setTimeout(900_000)
for (const host of others) {
  const missing = first!.missing ?? host.missing
  needing(`with the same data, ${host.name} answers as ${first!.name} does`, missing, async (t) => {
    const made = await start(t, first!)
    await made.patch('/redfish/v1/Systems/1/', { AssetTag: 'rack 7 – “näher”' })
    await made.stop()
    const one = await answers(await start(t, first!, { data: copyOf(t, made.data) }))
    const other = await answers(await start(t, host, { data: copyOf(t, made.data) }))
    t.ok(one.size > 30, `${one.size} resources`)
    t.same([...other.keys()].sort(), [...one.keys()].sort())
    for (const [path, text] of one) t.equal(other.get(path), text, path)
  })
}

/**
 * The body of every resource, by its path, without what tells a host and the time apart, and what moves with time. The
 * journal has the address of the host.
 */
async function answers(server: Server): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const next = ['/redfish/v1/']
  for (let path = next.shift(); path; path = next.shift()) {
    if (found.has(path)) continue
    const { text, json } = await server.get(path)
    const times = /"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)"/g
    const readings =
      /"(\w*Reading|ReadingCelsius|MetricValue|MetricValues@odata\.count|ReportSequence|\w+Watts|[RT]X\w+|\w+IOKiBytes|IntervalInMin|\w+Percent)":"?[\d.]+"?/g
    const plain = text
      .replaceAll(/W\/\\"[0-9a-f]+\\"/g, 'W/')
      .replaceAll(times, '"time"')
      .replaceAll(readings, '"$1":0')
      .replaceAll(/"(Average|Maximum|Minimum)":\[[^\]]*\]/g, '"$1":[]')
    found.set(path, ordered(plain.replace(/(?<="MetricValues":)\[[^\]]*\]/, onePerMetric)))
    next.push(...links(json).filter((link) => !link.includes('/Journal/Entries/')))
  }
  return found
}

/** The same JSON with its properties by name: the hosts write them in orders of their own. */
function ordered(text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  )
}

/** A report has as many samples as there was time for: one of each metric is left. */
function onePerMetric(list: string): string {
  const samples: object[] = JSON.parse(list)
  return JSON.stringify([...new Set(samples.map((each) => JSON.stringify(each)))])
}
