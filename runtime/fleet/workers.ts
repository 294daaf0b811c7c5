import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { SettingsError } from '#data/configuration'
import type { FleetDescription, Group, ScenarioStep } from '#data/fleet'
import { log } from '#runtime/base/log.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { type Member, replaceInventory } from './inventory.ts'
import { isShared, type Reach, sharesListener } from './plan.ts'

/** The last words of the command line of a process that serves a part of a fleet: its number, from 1, and how many there are. */
const option = '--worker'

/** Milliseconds between checks whether the workers are listening. */
const lookEvery = 50

/** Milliseconds between checks whether the first process is still there, and whether a controller has moved. */
const followEvery = 1000

interface Worker {
  readonly number: number
  readonly of: number
}

/** A command line without the part that makes a process a worker. */
export function workerIn(args: readonly string[]): { readonly own: readonly string[]; readonly worker?: Worker } {
  const [, number = '', of = ''] = /^(\d+)\/(\d+)$/.exec(args.at(-1) ?? '') ?? []
  if (args.at(-2) !== option || of === '') return { own: args }
  return { own: args.slice(0, -2), worker: { number: Number(number), of: Number(of) } }
}

/** The part of a fleet that a worker serves: controllers with numbers one after another, and what concerns these. */
export function shareOf(description: FleetDescription, reaches: readonly Reach[], { number, of }: Worker) {
  const total = totalOf(reaches)
  const [from, to] = [number - 1, number].map((each) => Math.floor((total * each) / of)) as [number, number]
  const begin = reaches[0]!.first
  const isOwn = (controller: number) => controller >= begin + from && controller < begin + to
  const parts = reaches.map((reach): Reach => {
    const { group, first, port, network } = reach
    const inGroup = (place: number) => Math.min(Math.max(begin + place - first, 0), group.count)
    const [low, high] = [inGroup(from), inGroup(to)]
    return {
      ...{ ...reach, group: partOf(group, low, high), first: first + low },
      port: isShared(group) || port === 0 ? port : port + low,
      network: network && { ...network, value: network.value + BigInt(low) }
    }
  })
  const scenario = description.scenario.map(
    (step): ScenarioStep => ({ ...step, ...(step.controllers && { controllers: step.controllers.filter(isOwn) }) })
  )
  const { control, metrics, data, open } = description
  const own: FleetDescription = {
    ...{ ...description, scenario, data: folderOf(data, number), open: Math.ceil(open / of) },
    control: typeof control === 'string' ? placeOf(control, number) : control,
    metrics: metrics && placeOf(metrics, number)
  }
  return { description: own, reaches: parts }
}

function partOf({ listed, ...group }: Group, low: number, high: number): Group {
  return { ...group, count: high - low, ...(listed && { listed: listed.slice(low, high) }) }
}

/** The address and port of a worker's page or metrics: the first has those that are given, the others the ports after it. */
function placeOf(first: string, number: number): string {
  const colon = first.lastIndexOf(':') + 1
  const port = Number(first.slice(colon))
  return `${first.slice(0, colon)}${port === 0 ? 0 : port + number - 1}`
}

/** Refuses what several processes cannot have in common. @throws SettingsError */
export function checkWorkers(
  { workers, data }: FleetDescription,
  reaches: readonly Reach[],
  adminPassword: string | undefined
): void {
  const kept = existsSync(`${data}/store`) ? 1 : foldersIn(data)
  if (kept !== 0 && kept !== workers)
    throw new SettingsError(`workers: ${data} has the state of ${kept}, not of ${workers}: each has a part of its own`)
  if (workers === 1) return
  const refuse = (fault: string): never => {
    throw new SettingsError(fault)
  }
  const shared = reaches.find(sharesListener)
  if (shared !== undefined)
    refuse(
      `${shared.path}: workers cannot share a listener: give each controller an address or a port, or leave out workers`
    )
  const racked = reaches.find(({ group }) => group.place !== undefined)
  if (racked !== undefined) refuse(`${racked.path}: the controllers of a rack are in one process: leave out workers`)
  if (totalOf(reaches) < workers) refuse(`workers: there are fewer controllers than ${workers}`)
  if (adminPassword === undefined) refuse('workers: set MINNOW_ADMIN_PASSWORD, which is then that of all')
}

/**
 * Has a process serve each part of a fleet until `stopped` settles. When one of them ends, all do.
 *
 * @param program how this program is started, without arguments
 * @param args what follows `fleet` on its command line
 * @param listening told when all controllers are reached
 * @throws Error when a worker ends
 */
export async function runWorkers(
  program: readonly string[],
  args: readonly string[],
  { data, workers }: Pick<FleetDescription, 'data' | 'workers'>,
  stopped: Promise<void>,
  listening: (members: readonly Member[]) => void
): Promise<void> {
  const inventories = Array.from({ length: workers }, (_, index) => `${folderOf(data, index + 1)}/inventory.json`)
  for (const file of inventories) rmSync(file, { force: true })
  const [file = '', ...first] = program
  const children = inventories.map((_, index) => {
    const words = [...first, 'fleet', ...args, option, `${index + 1}/${workers}`]
    const child = spawn(file, words, { stdio: ['ignore', 'inherit', 'inherit'] })
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (status, signal) => resolve(`with ${signal ?? `status ${status}`}`))
      child.once('error', (error) => resolve(`: ${error.message}`))
    })
    return { child, ended }
  })
  const failed = Promise.race(
    children.map(async ({ ended }, index) => {
      throw new Error(`worker ${index + 1} of ${workers} has ended ${await ended}: all end`)
    })
  )
  let isOver = false
  const found = async () => {
    while (!isOver && !inventories.every((each) => existsSync(each))) await sleep(lookEvery)
    return !isOver
  }
  /** Adds the lists of the workers. */
  const added = () => {
    const members = inventories.flatMap((each) => JSON.parse(readFileSync(each, 'utf8')) as Member[])
    replaceInventory(data, members)
    return members
  }
  const written = () => inventories.map((each) => statSync(each).mtimeMs).join()
  let following: NodeJS.Timeout | undefined
  try {
    if (await Promise.race([found(), failed, stopped])) {
      let last = written()
      let isStuck = false
      listening(added())
      following = setInterval(() => {
        const now = written()
        if (now === last) return
        try {
          added()
          last = now
          isStuck = false
        } catch (error) {
          if (!isStuck) log.warning('the list of all controllers was not written', { cause: (error as Error).message })
          isStuck = true
        }
      }, followEvery)
      await Promise.race([failed, stopped])
    }
  } finally {
    clearInterval(following)
    isOver = true
    for (const { child } of children) child.kill('SIGTERM')
    await Promise.all(children.map(({ ended }) => ended))
  }
}

/** Settles when the process that started this one has gone. */
export function orphaned(): Promise<void> {
  const parent = () =>
    readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) \S /s, '')
      .split(' ', 1)[0]
  const first = parent()
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (parent() === first) return
      clearInterval(timer)
      resolve()
    }, followEvery)
    timer.unref()
  })
}

const folderOf = (data: string, number: number) => `${data}/worker-${number}`

/** How many workers have left their state there. */
function foldersIn(data: string): number {
  let number = 0
  while (existsSync(`${folderOf(data, number + 1)}/store`)) number += 1
  return number
}

const totalOf = (reaches: readonly Reach[]) => reaches.reduce((sum, { group }) => sum + group.count, 0)
