import { type ControllerSummary, faultNames } from '#data/fleet'
import type { Controller } from './controller.ts'
import type { Roster } from './roster.ts'

/** The most controllers in one answer, or in one event. */
const most = 1000

/** Milliseconds after a change in which others are gathered, to be sent with it. */
const gathering = 250

/** The list of all controllers, and its changes. It says what is known of them without asking any. */
export class Rows {
  readonly #roster: Roster
  /** As JSON, until it changes. */
  readonly #texts = new Map<Controller, string>()
  readonly #names = new Map<number, string>()
  readonly #listeners = new Set<(rows: string) => void>()
  readonly #changed = new Set<Controller>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(roster: Roster) {
    this.#roster = roster
    roster.onChanged((controller) => {
      this.#texts.delete(controller)
      if (this.#listeners.size === 0) return
      this.#changed.add(controller)
      this.#timer ??= setTimeout(() => this.#tell(), gathering)
    })
  }

  /** The controllers with higher numbers than one, as JSON, at most a thousand; and whether there are more of them. */
  after(number: number): string {
    const rows: string[] = []
    for (const controller of this.#roster) {
      if (controller.number <= number) continue
      if (rows.length === most) return listed(rows, true)
      rows.push(this.#text(controller))
    }
    return listed(rows, false)
  }

  /** Calls `listener` with the controllers that have changed, as JSON; the function returned ends that. */
  follow(listener: (rows: string) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#changed.clear()
    }
  }

  #tell(): void {
    this.#timer = undefined
    const some = [...this.#changed].slice(0, most)
    for (const each of some) this.#changed.delete(each)
    const text = listed(
      some.map((each) => this.#text(each)),
      false
    )
    for (const listener of [...this.#listeners]) listener(text)
    if (this.#changed.size > 0) this.#timer = setTimeout(() => this.#tell(), gathering)
  }

  #text(controller: Controller): string {
    const known = this.#texts.get(controller)
    if (known !== undefined) return known
    const text = JSON.stringify(this.#summary(controller))
    this.#texts.set(controller, text)
    return text
  }

  #summary(controller: Controller): ControllerSummary {
    const { number, url, seen, faults, deviceFaults, place } = controller
    return {
      number,
      name: this.#name(controller),
      url: url.replace(/redfish\/v1\/$/, ''),
      state: stateOf(controller),
      ...(place && { kind: place.kind, rack: place.rack }),
      ...seen,
      faults: faultNames(faults.rules, deviceFaults)
    }
  }

  /** A board is made anew to learn the name in it. */
  #name(controller: Controller): string {
    const name = this.#names.get(controller.number) ?? controller.identity().hostName ?? String(controller.number)
    this.#names.set(controller.number, name)
    return name
  }
}

function stateOf({ isAway, supplied, service }: Controller): ControllerSummary['state'] {
  if (isAway) return supplied ? 'Restarting' : 'NoPower'
  return service === undefined ? 'Closed' : 'Open'
}

const listed = (rows: readonly string[], more: boolean) => `{"controllers":[${rows.join(',')}],"more":${more}}`
