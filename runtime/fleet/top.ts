import process from 'node:process'
import { Client } from 'undici'
import { SettingsError } from '#data/configuration'
import { sleep } from '#runtime/base/sleep.ts'
import { parseFlags } from '#runtime/command/settings.ts'

/** Milliseconds between two lines. */
const interval = 1000

/** How the groups can be sorted: the largest number first, names in their order. */
const orders = ['errors', 'time', 'answers', 'faults', 'group'] as const

type Order = (typeof orders)[number]

/** Moves the cursor of a terminal to the upper left, and clears what is below (ECMA-48: CUP, ED). */
const clear = '\x1b[H\x1b[J'

/**
 * `minnow fleet top ADDRESS:PORT [ADDRESS:PORT …] [--lines N] [--sort ORDER]`: each second what the metrics of a fleet say,
 * or those of all of its workers, until the fleet ends: a line for all, and one for each group. A terminal shows the last
 * reading only.
 *
 * @throws SettingsError; Error in one line where there are no metrics
 */
export async function top(args: readonly string[]): Promise<void> {
  const options = args.findIndex((word) => word.startsWith('-'))
  const places = options < 0 ? args : args.slice(0, options)
  if (places.length === 0) throw new SettingsError('top needs the address of metrics: HOST:PORT')
  const flags = parseFlags(args.slice(places.length), ['lines', 'sort'])
  const most = Number(flags.get('lines') ?? Number.POSITIVE_INFINITY)
  const order = orders.find((each) => each === (flags.get('sort') ?? 'errors'))
  if (order === undefined) throw new SettingsError(`sort is one of ${orders.join(', ')}: ${flags.get('sort')}`)
  const clients = places.map((place) => {
    return new Client(`https://${place}`, { connect: { rejectUnauthorized: false }, pipelining: 1 })
  })
  const readAll = async () => together(await Promise.all(clients.map((client, index) => read(client, places[index]!))))
  try {
    let before = await readAll()
    for (let line = 0; line < most; line += 1) {
      await sleep(interval)
      const now = await readAll()
      const lines = [lineOf(before, now, interval / 1000), ...groupLines(before, now, interval / 1000, order)]
      process.stdout.write(`${process.stdout.isTTY ? clear : ''}${lines.join('\n')}\n`)
      before = now
    }
  } finally {
    await Promise.all(clients.map((client) => client.destroy()))
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

/** The sums of the samples of several processes. Those of controllers, which are in one each, stay as they are. */
export function together(all: readonly Samples[]): Samples {
  const sums = new Map<string, number>()
  for (const [name, value] of all.flatMap((samples) => [...samples])) sums.set(name, (sums.get(name) ?? 0) + value)
  return sums
}

/** The sum of the samples of a metric whose labels, as text, contain all of `labels`. */
function sumOf(samples: Samples, metric: string, ...labels: string[]): number {
  let sum = 0
  for (const [name, value] of samples) {
    const isOf = name === metric || name.startsWith(`${metric}{`)
    if (isOf && labels.every((label) => name.includes(label))) sum += value
  }
  return sum
}

/** The values of a label of a metric, with the samples. */
const labelled = (samples: Samples, start: string, label: string) =>
  [...samples].flatMap(([name, value]) => {
    const [, text] = name.startsWith(start) ? (new RegExp(`${label}="([^"]*)"`).exec(name) ?? []) : []
    return text === undefined ? [] : [[text, value] as const]
  })

/** The difference of two readings of metrics. @param seconds between them */
export function lineOf(before: Samples, now: Samples, seconds: number): string {
  const rate = (metric: string, ...labels: string[]) =>
    Math.round((sumOf(now, metric, ...labels) - sumOf(before, metric, ...labels)) / seconds)
  const powers = labelled(now, 'minnow_systems{', 'power').map(([power, number]) => `${power} ${number}`)
  const slowest = labelled(now, 'minnow_slowest_answer_seconds{', 'controller')
  const [controller, slow] = slowest.reduce((one, other) => (other[1] > one[1] ? other : one), ['0', 0])
  return [
    `${sumOf(now, 'minnow_controllers')} controllers, ${sumOf(now, 'minnow_controllers_open')} open`,
    `${rate('minnow_answers_total')} answers/s, ${rate('minnow_answers_total', 'status="5')} errors/s`,
    `${rate('minnow_events_total')} events/s`,
    `power: ${powers.join(', ') || 'not known'}`,
    ...(controller === '0' ? [] : [`slowest: ${milliseconds(slow)}, controller ${controller}`])
  ].join('; ')
}

const milliseconds = (seconds: number) => `${Math.round(seconds * 1000)} ms`

/** A line for each group, sorted, after a head. @param seconds between the readings */
export function groupLines(before: Samples, now: Samples, seconds: number, order: Order): string[] {
  const groups = labelled(now, 'minnow_controllers{', 'group').map(([group, controllers]) => {
    const label = `group="${group}"`
    const grown = (metric: string, ...labels: string[]) =>
      sumOf(now, metric, label, ...labels) - sumOf(before, metric, label, ...labels)
    const answers = grown('minnow_answers_total')
    const faults = labelled(now, `minnow_faults{${label},`, 'fault')
    return {
      ...{ group, controllers, open: sumOf(now, 'minnow_controllers_open', label) },
      ...{ answers: answers / seconds, errors: grown('minnow_answers_total', 'status="5') / seconds },
      time: answers === 0 ? 0 : grown('minnow_answer_seconds_sum') / answers,
      faults: faults.reduce((sum, [, number]) => sum + number, 0),
      named: faults.map(([fault, number]) => `${fault} ${number}`).join(', ')
    }
  })
  if (order !== 'group') groups.sort((one, other) => other[order] - one[order] || other.answers - one.answers)
  const rows = groups.map(({ group, controllers, open, answers, errors, time, named }) => [
    ...[group, String(controllers), String(open), String(Math.round(answers)), String(Math.round(errors))],
    ...[milliseconds(time), named]
  ])
  const table = [['GROUP', 'CONTROLLERS', 'OPEN', 'ANSWERS/S', 'ERRORS/S', 'TIME', 'FAULTS'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const aligned = (text: string, column: number) => {
    const isNumber = column > 0 && column < 6
    return isNumber ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)
  }
  return table.map((row) => row.map(aligned).join('  ').trimEnd())
}
