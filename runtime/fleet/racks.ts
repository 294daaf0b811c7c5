import '#data/recording'
import type { Board } from '#data/board'
import { type EquipmentKind, inRack } from '#data/fleet'
import { totalPower } from '#data/power'
import { powerSensors } from '#data/sensors'
import { log } from '#runtime/base/log.ts'
import { type Event, event } from '#runtime/contract'
import type { Service } from '#runtime/open/service.ts'
import type { Controller } from './controller.ts'
import { DerivedMembers } from './derived-members.ts'
import {
  type Neighbour,
  outletAt,
  portName,
  type RackState,
  type ServerState,
  type Supply,
  shownOf,
  suppliesOf
} from './equipment.ts'
import type { Reach } from './plan.ts'

/** Milliseconds after a change in which others are gathered. */
const gathering = 100

/** Watts of a server whose board measures none: with its host on, and off. */
const unmeasured = { on: 350, standby: 15 }

const chassis = '/redfish/v1/Chassis'

type Watts = typeof unmeasured

/** The controllers of a rack, each kind in the order of their numbers. */
interface Rack {
  readonly name: string
  readonly controllers: Readonly<Record<EquipmentKind, Controller[]>>
  /** The watts of the servers. */
  readonly watts: Watts[]
  /** Names, numbers and addresses of controllers, once they are asked for. */
  readonly identities: Map<Controller, ReturnType<Controller['identity']>>
  /** As it was told last: the power supplies of each shelf. */
  supplies: readonly (readonly Supply[])[]
}

interface Parts {
  readonly roster: {
    get(number: number): Controller | undefined
    onChanged(listener: (controller: Controller) => void): () => void
  }
  /** Seconds between two looks at the power of servers. */
  readonly interval: number
  /** The outlets of a shelf that were off. */
  readonly outlets: (shelf: number) => readonly number[]
  readonly keepOutlets: (shelf: number, off: readonly number[]) => Promise<void>
}

/** Connects the controllers of racks: the power and heat of servers, the supply from shelves, the ports of switches. */
export class Racks {
  readonly #keepOutlets: Parts['keepOutlets']
  readonly #racks = new Map<string, Rack>()
  /** By the number of a controller. */
  readonly #of = new Map<number, Rack>()
  /** The outlets of shelves that are off, by the numbers of these. */
  readonly #off = new Map<number, ReadonlySet<number>>()
  readonly #changed = new Set<Rack>()
  readonly #derived = new WeakMap<Service, DerivedMembers>()
  /** Work that has not settled. */
  readonly #begun = new Set<Promise<unknown>>()
  readonly #poll: ReturnType<typeof setInterval>
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(machines: readonly { readonly reach: Reach; readonly board: Board }[], parts: Parts) {
    const { roster, interval, outlets } = parts
    this.#keepOutlets = parts.keepOutlets
    for (const { reach, board } of machines) {
      const watts = reach.group.place?.kind === 'Server' ? wattsOf(board) : unmeasured
      for (let index = 0; index < reach.group.count; index += 1) {
        const place = inRack(reach.group, index)
        if (place === undefined) break
        const controller = roster.get(reach.first + index)!
        const rack = this.#named(place.rack)
        rack.controllers[place.kind].push(controller)
        if (place.kind === 'Server') rack.watts.push(watts)
        this.#of.set(controller.number, rack)
        this.#off.set(controller.number, new Set(place.kind === 'PowerShelf' ? outlets(controller.number) : []))
      }
    }
    for (const rack of this.#racks.values()) {
      rack.supplies = rack.controllers.PowerShelf.map(statesOf)
      this.#feed(rack)
    }
    roster.onChanged((controller) => this.#follow(controller))
    this.#poll = setInterval(() => this.#refreshAll(this.#racks.values()), interval * 1000)
    this.#poll.unref()
  }

  /** The port of a switch that a controller is connected to. */
  portOf(number: number) {
    const rack = this.#of.get(number)
    const [first] = rack?.controllers.Switch ?? []
    const port = rack === undefined ? -1 : connected(rack).findIndex((each) => each.number === number)
    if (rack === undefined || first === undefined || port < 0) return undefined
    const { mac = '', hostName: name = '' } = identityOf(rack, first)
    return { mac, name, port: portName(port + 1) }
  }

  /** Has an opened controller show the state of its rack. */
  opened(controller: Controller, { store }: Service): void {
    const rack = this.#of.get(controller.number)
    if (rack === undefined || controller.place?.kind === 'Server') return
    if (controller.place?.kind === 'PowerShelf')
      store.on('recorded', (path) => {
        const outlet = outletAt(path)
        if (outlet !== undefined)
          this.#switch(rack, controller, outlet, store.get('recorded', path)?.changes?.PowerState)
      })
    this.#refresh(rack)
  }

  async close(): Promise<void> {
    clearInterval(this.#poll)
    clearTimeout(this.#timer)
    while (this.#begun.size > 0) await Promise.allSettled(this.#begun)
  }

  #begin(work: Promise<unknown>): void {
    this.#begun.add(work)
    void work.finally(() => this.#begun.delete(work))
  }

  #named(name: string): Rack {
    const controllers = { Server: [], ChassisManager: [], PowerShelf: [], Switch: [], CoolingUnit: [] }
    const rack = this.#racks.get(name) ?? { name, controllers, watts: [], identities: new Map(), supplies: [] }
    this.#racks.set(name, rack)
    return rack
  }

  #follow(controller: Controller): void {
    const rack = this.#of.get(controller.number)
    if (rack === undefined) return
    if (controller.place?.kind === 'PowerShelf') this.#supply(rack)
    this.#changed.add(rack)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const racks = [...this.#changed]
      this.#changed.clear()
      this.#refreshAll(racks)
    }, gathering)
  }

  #switch(rack: Rack, shelf: Controller, outlet: number, state: unknown): void {
    const before = this.#off.get(shelf.number) ?? new Set()
    if (before.has(outlet) === (state === 'Off')) return
    const off = new Set(before)
    if (state === 'Off') off.add(outlet)
    else off.delete(outlet)
    this.#off.set(shelf.number, off)
    this.#keepOutlets(shelf.number, [...off]).catch(failed)
    this.#supply(rack)
  }

  /** Takes the power from servers that no shelf feeds, gives it to the others, and tells the chassis manager. */
  #supply(rack: Rack): void {
    const { PowerShelf: shelves, ChassisManager: managers } = rack.controllers
    const before = rack.supplies
    rack.supplies = shelves.map(statesOf)
    const events = shelves.flatMap((shelf, index) => this.#changes(rack, shelf, before[index]!, rack.supplies[index]!))
    const [had, has] = [before, rack.supplies].map((states) => states.filter(gives).length) as [number, number]
    if (had > 1 && has < 2) events.push(event('MgmtEvents.RedundancyLost', `${chassis}/Rack`, 'power shelves'))
    if (had < 2 && has > 1) events.push(event('MgmtEvents.RedundancyRestored', `${chassis}/Rack`, 'power shelves'))
    for (const number of this.#feed(rack))
      events.push(event('MgmtEvents.ServerPoweredOff', `${chassis}/Server${number}`, `Server${number}`))
    if (events.length === 0) return
    this.#refresh(rack)
    for (const manager of managers) this.#begin(tell(manager, events))
  }

  /** The change of a shelf for the chassis manager; those of its power supplies it tells itself. */
  #changes(rack: Rack, shelf: Controller, before: readonly Supply[], now: readonly Supply[]): Event[] {
    const own = now.flatMap((state, index) => {
      if (state === before[index]) return []
      const uri = `${chassis}/Shelf/PowerSubsystem/PowerSupplies/${index + 1}`
      return [event(messages[state], uri, `Power supply ${index + 1}`)]
    })
    if (own.length > 0) this.#begin(tell(shelf, own))
    if (gives(before) === gives(now)) return []
    const worst = gives(now) ? 'ok' : now.includes('failed') ? 'failed' : 'inputLost'
    return [event(messages[worst], `${chassis}/Rack`, identityOf(rack, shelf).hostName ?? '')]
  }

  /** @returns the numbers in the rack of servers that have just lost their power */
  #feed(rack: Rack): number[] {
    const { Server: servers, PowerShelf: shelves } = rack.controllers
    if (shelves.length === 0) return []
    return servers.flatMap((server, index) => {
      const had = server.supplied
      server.supply(this.#feeding(rack, index).length > 0)
      return had && !server.supplied ? [index + 1] : []
    })
  }

  /** The shelves that feed a server. */
  #feeding({ controllers, supplies }: Rack, server: number): readonly Controller[] {
    return controllers.PowerShelf.filter(
      ({ number }, index) => gives(supplies[index]!) && this.#off.get(number)?.has(server + 1) !== true
    )
  }

  #refreshAll(racks: Iterable<Rack>): void {
    for (const rack of racks) this.#refresh(rack)
  }

  /** Has the open controllers without a server show the state of their rack. */
  #refresh(rack: Rack): void {
    const { Server: servers, ...others } = rack.controllers
    const open = Object.values(others).flatMap((all) =>
      all.flatMap((controller, index) => (controller.service === undefined ? [] : [{ controller, index }]))
    )
    if (open.length === 0) return
    const states = servers.map((server, index) => stateOf(rack, server, rack.watts[index]!))
    const neighbours = connected(rack).map((each): Neighbour => {
      const { hostName: name = '', mac = '' } = identityOf(rack, each)
      return { name, mac, isUp: each.supplied }
    })
    for (const { controller, index } of open) {
      const kind = controller.place!.kind as Exclude<EquipmentKind, 'Server'>
      const outlets = states.map(({ watts }, server) => {
        const feeding = this.#feeding(rack, server)
        return feeding.includes(controller) ? watts / feeding.length : 0
      })
      // Cables lead to the first switch.
      const ends = index === 0 ? neighbours : neighbours.map((each) => ({ ...each, isUp: false }))
      const supplies = kind === 'PowerShelf' ? rack.supplies[index]! : []
      const state: RackState = { rack: rack.name, servers: states, neighbours: ends, outlets, supplies }
      this.#derivedOf(controller.service!).show(shownOf(kind, state))
    }
  }

  #derivedOf(service: Service): DerivedMembers {
    const derived = this.#derived.get(service) ?? new DerivedMembers(service.store)
    this.#derived.set(service, derived)
    return derived
  }
}

const messages = {
  ok: 'MgmtEvents.PartOK',
  failed: 'MgmtEvents.PowerSupplyFailed',
  inputLost: 'MgmtEvents.PowerSupplyInputLost'
} as const

/** Whether a shelf with these power supplies gives power. */
const gives = (supplies: readonly Supply[]) => supplies.includes('ok')

const statesOf = ({ deviceFaults }: Controller) =>
  suppliesOf((deviceFaults.sensors?.faults as { readonly parts?: Record<string, unknown> } | undefined)?.parts)

/** The controllers at the ports of the first switch. */
const connected = ({ controllers: { Switch: _, ...others } }: Rack) => Object.values(others).flat()

function identityOf({ identities }: Rack, controller: Controller) {
  const known = identities.get(controller) ?? controller.identity()
  identities.set(controller, known)
  return known
}

/** The watts that the power supplies of a board give. */
function wattsOf(board: Board): Watts {
  const outputs = Object.values(board.chassis).flatMap(({ powerSupplies }) => powerSupplies.map(({ output }) => output))
  const total = (kind: 'reading' | 'standby') => outputs.reduce((sum, output) => sum + (output?.[kind] ?? 0), 0)
  return total('reading') === 0 ? unmeasured : { on: total('reading'), standby: total('standby') }
}

/** A server as it is, or as it was when its service was closed. */
function stateOf(rack: Rack, server: Controller, usual: Watts): ServerState {
  const { hostName: name = '', serialNumber = '', mac = '' } = identityOf(rack, server)
  const { supplied, service, seen, place } = server
  const power = seen.power ?? { On: 1 }
  const isOn = supplied && Object.entries(power).some(([state, count]) => state !== 'Off' && count > 0)
  const watts = !supplied ? 0 : ((service && measured(service)) ?? (isOn ? usual.on : usual.standby))
  return { name, serialNumber, mac, watts, isOn, isUp: supplied, unit: place?.unit }
}

/** The watts of a machine; undefined if it measures none. */
function measured({ hardware }: Service): number | undefined {
  const all = Object.entries(hardware.board.chassis).filter(([, each]) => powerSensors(each).length > 0)
  const watts = all.map(([id]) => totalPower(hardware, id)).filter((each) => each !== undefined)
  return watts.length === 0 ? undefined : watts.reduce((sum, each) => sum + each, 0)
}

async function tell(controller: Controller, events: readonly Event[]): Promise<void> {
  try {
    await (await controller.open()).events.emit(...events)
  } catch (error) {
    failed(error as Error)
  }
}

function failed(error: Error): void {
  log.warning('the state of a rack was not stored', { cause: error.message })
}
