import { SettingsError } from '#data/configuration'
import type { ScenarioStep } from '#data/fleet'
import { log } from '#runtime/base/log.ts'
import type { TestEvent } from '#runtime/contract'
import type { SharedDatabase } from '#runtime/store/shared.ts'
import type { AddressSetting } from './address-setting.ts'
import type { FaultSetting } from './fault-setting.ts'
import { perform } from './group-actions.ts'
import { ownPart, scenarioKey } from './keys.ts'
import { readEvents } from './replay.ts'
import type { Roster } from './roster.ts'
import type { FleetTime } from './time.ts'

/** The progress of a scenario: the number of its steps that were performed, and the time of the last one. */
interface Progress {
  readonly done: number
  readonly at: number
}

interface Parts {
  readonly roster: Roster
  readonly setting: FaultSetting
  readonly addresses: AddressSetting
  readonly time: FleetTime
  readonly database: SharedDatabase
}

/** A step of the file without its recorded events, or one of these. */
interface Step extends Omit<ScenarioStep, 'replay'> {
  readonly time: number
  readonly event?: TestEvent
}

/** Performs the steps of a fleet's file at their times. A fleet that is started again continues after the last step. */
export class Scenario {
  readonly #parts: Parts
  readonly #steps: readonly Step[]
  #done = 0

  /** @throws SettingsError for recorded events that cannot be read */
  constructor(steps: readonly ScenarioStep[], parts: Parts) {
    this.#parts = parts
    this.#steps = steps.flatMap(withEvents).sort((one, other) => one.time - other.time)
  }

  get steps(): number {
    return this.#steps.length
  }

  get done(): number {
    return this.#done
  }

  async begin(): Promise<void> {
    const { time, database } = this.#parts
    const kept = new Map(await database.entries(ownPart)).get(scenarioKey)
    const { done, at }: Progress = kept === undefined ? { done: 0, at: 0 } : JSON.parse(kept)
    this.#done = done
    time.begin(at)
    this.#steps.forEach((step, index) => {
      if (index >= done) time.at(step.time, () => this.#perform(index))
    })
  }

  async #perform(index: number): Promise<void> {
    const { roster, database } = this.#parts
    const { at, time, controllers, ...action } = this.#steps[index]!
    const numbers = controllers ?? Array.from(roster, ({ number }) => number)
    const failed = await perform(this.#parts, { ...action, controllers: numbers })
    for (const each of failed) log.warning('a step of the scenario failed', { at, ...each })
    this.#done = index + 1
    const progress: Progress = { done: this.#done, at: time }
    await database.write(ownPart, [{ key: scenarioKey, value: JSON.stringify(progress) }]).catch((error: Error) => {
      log.warning('the progress of the scenario was not stored', { cause: error.message })
    })
    log.info('scenario', { at, step: this.#done, of: this.steps })
  }
}

/** A step, and each of its recorded events as a step: a fleet that is started again continues after the last one. */
function withEvents({ replay, ...step }: ScenarioStep, index: number): Step[] {
  const first = { ...step, time: timeOf(step.at) }
  if (replay === undefined) return [first]
  const { at, controllers } = step
  try {
    const events = readEvents(replay)
    return [first, ...events.map(({ after, test }) => ({ at, controllers, time: first.time + after, event: { test } }))]
  } catch (error) {
    throw new SettingsError(`scenario.${index}.replay: ${(error as Error).message}`)
  }
}

/** Milliseconds of `HH:MM` or `HH:MM:SS`. */
function timeOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number)
  return ((hours * 60 + minutes) * 60 + seconds) * 1000
}
