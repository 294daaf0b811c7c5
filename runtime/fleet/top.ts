import process from 'node:process'
import { Client } from 'undici'
import { SettingsError } from '#data/configuration'
import { sleep } from '#runtime/base/sleep.ts'
import { parseFlags } from '#runtime/command/settings.ts'

/** Milliseconds between two lines. */
const interval = 1000

/**
 * `minnow fleet top ADDRESS:PORT [--lines N]`: a line each second with what the metrics of a fleet say, until the fleet
 * ends.
 *
 * @throws SettingsError; Error in one line where there are no metrics
 */
export async function top(args: readonly string[]): Promise<void> {
  const [where = '', ...rest] = args
  if (where === '' || where.startsWith('-')) throw new SettingsError('top needs the address of metrics: HOST:PORT')
  const most = Number(parseFlags(rest, ['lines']).get('lines') ?? Number.POSITIVE_INFINITY)
  const client = new Client(`https://${where}`, { connect: { rejectUnauthorized: false }, pipelining: 1 })
  try {
    let before = await read(client, where)
    for (let line = 0; line < most; line += 1) {
      await sleep(interval)
      const now = await read(client, where)
      process.stdout.write(`${lineOf(before, now, interval / 1000)}\n`)
      before = now
    }
  } finally {
    await client.destroy()
  }
}

/** Samples by their names with labels. */
type Samples = ReadonlyMap<string, number>

async function read(client: Client, where: string): Promise<Samples> {
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path: '/metrics' })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`status ${statusCode}`)
    return samplesOf(text)
  } catch (error) {
    throw new Error(`${where} has no metrics: ${(error as Error).message}`)
  }
}

/** The samples of a text in Prometheus' format. */
export function samplesOf(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))])
  )
}

/** The difference of two readings of metrics. @param seconds between them */
export function lineOf(before: Samples, now: Samples, seconds: number): string {
  const sum = (samples: Samples, like: RegExp) =>
    [...samples].reduce((total, [name, value]) => (like.test(name) ? total + value : total), 0)
  const rate = (like: RegExp) => Math.round((sum(now, like) - sum(before, like)) / seconds)
  const powers = [...now].flatMap(([name, value]) => {
    const [, power] = /^minnow_systems\{power="(\w+)"\}$/.exec(name) ?? []
    return power === undefined ? [] : [`${power} ${value}`]
  })
  const slow = [...now].find(([name]) => name.startsWith('minnow_slowest_answer_seconds'))
  const [, controller = '0'] = /"(\d+)"/.exec(slow?.[0] ?? '') ?? []
  return [
    `${now.get('minnow_controllers') ?? 0} controllers, ${now.get('minnow_controllers_open') ?? 0} open`,
    `${rate(/^minnow_answers_total/)} answers/s, ${rate(/^minnow_answers_total\{status="5/)} errors/s`,
    `${rate(/^minnow_events_total/)} events/s`,
    `power: ${powers.join(', ') || 'not known'}`,
    ...(controller === '0' ? [] : [`slowest: ${Math.round((slow?.[1] ?? 0) * 1000)} ms, controller ${controller}`])
  ].join('; ')
}
