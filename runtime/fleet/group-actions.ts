import { SettingsError } from '#data/configuration'
import { changedFaults, type GroupAction, powerOperations } from '#data/fleet'
import { accepts } from '#hal/power.ts'
import { log } from '#runtime/base/log.ts'
import { conflict, fail, MessageError, messageText, type TestEvent } from '#runtime/contract'
import type { Service } from '#runtime/open/service.ts'
import type { AddressSetting } from './address-setting.ts'
import type { Controller } from './controller.ts'
import type { FaultSetting } from './fault-setting.ts'
import type { Roster } from './roster.ts'

/** The most controllers that are worked on at once: each that is not open is opened. */
const atOnce = 8

/** How long a controller is gone that is restarted, in milliseconds. */
const restartTime = 3000

/** The longest that an action can say, in seconds. */
const longestRestart = 86_400

/** The most rules of a controller, as its own resource for faults has it. */
const mostRules = 64

/** A controller with which something was not done, and why. */
interface Failed {
  readonly number: number
  readonly message: string
}

/** An action, and an event that happens. */
type Performed = GroupAction & { readonly event?: TestEvent }

interface Parts {
  readonly roster: Roster
  readonly setting: FaultSetting
  readonly addresses: AddressSetting
}

/** Does the same with many controllers. @returns those with which it failed */
export async function perform(parts: Parts, action: Performed): Promise<Failed[]> {
  const failed: Failed[] = []
  const left = [...new Set(action.controllers)]
  const work = async () => {
    for (let number = left.shift(); number !== undefined; number = left.shift()) {
      try {
        await performOne(parts, number, action)
      } catch (error) {
        failed.push({ number, message: reasonOf(error as Error, number) })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return failed.sort((one, other) => one.number - other.number)
}

async function performOne({ roster, setting, addresses }: Parts, number: number, action: Performed): Promise<void> {
  const controller = roster.get(number) ?? fail(404, 'Base.ResourceMissingAtURI', String(number))
  if (action.addFaults !== undefined || action.removeFaults !== undefined) {
    await setting.change(controller, (now) => {
      const faults = changedFaults(now, action)
      return faults.Rules.length > mostRules ? fail(400, 'Base.PropertyValueError', 'Rules') : faults
    })
  }
  const { event } = action
  if (event !== undefined) await opened(roster, controller, ({ events }) => events.emit(event))
  if (action.address !== undefined)
    await readdressed(roster, controller, () => addresses.change(controller, action.address!))
  if (action.certificate !== undefined) await recertified(roster, controller, action.certificate)
  if (action.open || action.power !== undefined) await switched(roster, controller, action.power)
  if (action.restart !== undefined && action.restart !== false) controller.reboot(awayFor(action.restart))
}

/** In milliseconds. */
const awayFor = (restart: number | true) =>
  restart === true ? restartTime : Math.min(Math.max(restart, 0), longestRestart) * 1000

/** Opens a controller, and does something with its service. */
async function opened(
  roster: Roster,
  controller: Controller,
  work: (service: Service) => Promise<void>
): Promise<void> {
  controller.busy += 1
  try {
    roster.asked(controller)
    await work(await controller.open())
  } finally {
    controller.busy -= 1
  }
}

/** Opens a controller, and switches the power of its systems, as their buttons do. */
function switched(roster: Roster, controller: Controller, type: GroupAction['power']): Promise<void> {
  return opened(roster, controller, async ({ hardware }) => {
    if (type === undefined) return
    const operation = powerOperations[type]
    const systems = Object.keys(hardware.board.systems).filter((id) => accepts(hardware.power(id), operation))
    if (systems.length === 0) conflict()
    await Promise.all(systems.map((system) => hardware.perform({ kind: 'power', operation, system })))
    await controller.kept()
  })
}

/** Replaces the certificate that a controller presents. */
function recertified(
  roster: Roster,
  controller: Controller,
  certificate: NonNullable<GroupAction['certificate']>
): Promise<void> {
  const fault = certificate === 'renewed' ? undefined : certificate
  return opened(roster, controller, ({ identity }) => identity.remake(new Date(roster.now()), fault))
}

/** One that is away has its other address when it returns; any other sends an event. */
function readdressed(roster: Roster, controller: Controller, change: () => Promise<void>): Promise<void> {
  return controller.isAway ? change() : opened(roster, controller, change)
}

function reasonOf(error: Error, number: number): string {
  if (error instanceof SettingsError) return error.message
  if (error instanceof MessageError) return error.messages.map(messageText).join(' ')
  log.error('a group action failed', { number, cause: error.message })
  return error.message
}
