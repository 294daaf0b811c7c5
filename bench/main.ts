import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { board } from './board.ts'
import { clientsOf } from './clients.ts'
import { compare } from './compare.ts'
import { events } from './events.ts'
import { features } from './features.ts'
import { type Figure, judge, line, unmeasured } from './figures.ts'
import { firmware } from './firmware.ts'
import { fleet } from './fleet.ts'
import { fullHouse } from './full-house.ts'
import { instructions } from './instructions.ts'
import { machine } from './machine.ts'
import { Measurement } from './measurement.ts'
import { memory } from './memory.ts'
import { openbmc } from './openbmc.ts'
import { page } from './page.ts'
import { profile } from './profile.ts'
import { scale } from './scale.ts'
import { size } from './size.ts'
import { startTime } from './start.ts'
import { throughput } from './throughput.ts'
import { walk } from './walk.ts'
import { workloads } from './workloads.ts'

type Part = (measurement: Measurement) => AsyncIterable<Figure>

/** The measurements, in the order of the table; arguments of `npm run bench` pick some of it by name. */
const parts: Readonly<Record<string, Part>> = {
  size,
  start: startTime,
  memory,
  instructions,
  workloads,
  scale,
  throughput,
  walk,
  page,
  events,
  'full-house': fullHouse,
  firmware,
  machine,
  board,
  openbmc,
  fleet
}

/** Those that only run when they are named; `compare` is followed by a commit. */
const named: Readonly<Record<string, Part>> = {
  profile,
  features,
  compare: (measurement) => compare(measurement, commit)
}

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, user: { type: 'string', default: 'admin' } }
})
const [commit = 'HEAD'] = wanted.includes('compare') ? wanted.splice(wanted.indexOf('compare') + 1, 1) : []
const { url, user } = options
const known = {
  ...parts,
  ...named,
  ...(url && { workloads: () => clientsOf(url, user, process.env.REDFISH_PASSWORD ?? '') })
}
const unknown = wanted.filter((name) => !(name in known))
if (unknown.length > 0)
  throw new Error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`)

const figures: Figure[] = []
for (const [name, measure] of Object.entries(wanted.length > 0 ? known : parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const measurement = new Measurement()
  try {
    for await (const figure of measure(measurement)) {
      figures.push(figure)
      console.log(line(judge(figure)))
    }
  } finally {
    await measurement.end()
  }
}

const judged = figures.map(judge)
mkdirSync('dist', { recursive: true })
writeFileSync('dist/bench.json', `${JSON.stringify({ figures: judged }, undefined, 2)}\n`)
const broken = judged.filter(({ held }) => held === false).map(({ name }) => name)
const missing = wanted.length > 0 ? [] : unmeasured(figures)
for (const name of broken) console.log(`BROKEN: ${name}`)
for (const name of missing) console.log(`NOT MEASURED: ${name}`)
process.exitCode = broken.length + missing.length > 0 ? 1 : 0
