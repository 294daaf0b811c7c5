import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { changes, chassis } from '#test/openbmc/changes.ts'
import { servedMachine } from '#test/openbmc/machine.ts'
import { missingPam } from '#test/openbmc/pam.ts'
import { EventSource } from './event-source.ts'
import { needing, onBothHosts } from './every-host.ts'
import { admin, type Json, type Server } from './server.ts'

const withReports = "EventFormatType eq 'Event' or MetricReportDefinition ne null"

/** All that a stream brings, across restarts of the service. */
async function heard(t: Test, server: Server) {
  const seen: Json[] = []
  let source = await EventSource.open(t, server, undefined, admin, withReports)
  let isOver = false
  t.teardown(() => {
    isOver = true
  })
  const follow = async () => {
    while (!isOver) {
      try {
        for (let each = await source.next(); each !== undefined; each = await source.next())
          seen.push(...(each.data.Events ?? [each.data]))
        source = await EventSource.open(t, server, source.lastEventId, admin, withReports)
      } catch {
        await pause(50)
      }
    }
  }
  void follow()
  return {
    /** Waits for something that comes after what was seen `before`; a minute at most. */
    async hears(isIt: (each: Json) => boolean, before: number): Promise<boolean> {
      for (let tries = 0; tries < 2400; tries += 1) {
        if (seen.slice(before).some(isIt)) return true
        await pause(25)
      }
      return false
    },
    get count() {
      return seen.length
    }
  }
}

const missing = missingPam()

onBothHosts(async (t, host) => {
  if (missing !== undefined) return needing('what other programs change', missing, async () => {})
  const { bus, daemons, server } = await servedMachine(t, host)
  const stream = await heard(t, server)
  for (const [what, { by, of, shows, origin = of, key = 'ResourceChanged' }] of Object.entries(changes))
    await t.test(`${what}: a GET shows it, and an event tells it`, async (t) => {
      const before = stream.count
      bus.busctl(...by)
      await server.until(
        () => server.get(of),
        ({ status, json }) => (shows === undefined ? status === 404 : status === 200 && isLike(json, shows))
      )
      const tells = ({ MessageId, OriginOfCondition }: Json) =>
        MessageId?.endsWith(`.${key}`) && OriginOfCondition['@odata.id'] === origin
      t.ok(await stream.hears(tells, before), `${key} of ${origin}`)
    })

  await t.test('a reading, which only its daemon sets: a GET shows it, and a metric report tells it', async (t) => {
    const sensor = `${chassis}Sensors/voltage_VBAT/`
    const before = stream.count
    await daemons.set('/xyz/openbmc_project/sensors/voltage/VBAT', 'Sensor.Value', 'Value', 3.1)
    await server.until(
      () => server.get(sensor),
      ({ json }) => json.Reading === 3.1
    )
    const tells = ({ MetricValues = [] }: Json) =>
      MetricValues.some(
        (each: Json) => each.MetricProperty.startsWith(sensor.slice(0, -1)) && each.MetricValue === '3.1'
      )
    t.ok(await stream.hears(tells, before))
  })
})

/** Whether a value has at least what another has. */
function isLike(value: Json, wanted: Json): boolean {
  if (wanted instanceof RegExp) return wanted.test(JSON.stringify(value))
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  return Object.entries(wanted).every(([name, each]) => isLike(value?.[name], each))
}
