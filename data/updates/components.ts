import type { Backend, Board } from '#data/board'
import { managerUri } from '#data/manager'
import { systemUri } from '#data/system'
import { hasVariables } from '#data/variables'
import { type Context, link, type Machine, type Privilege } from '#runtime/contract'
import { type ApplyTime, inWindow } from './apply-time.ts'
import { type componentKinds, isOlder, type Manifest } from './manifest.ts'

/** A thing that has firmware of its own: the controller, or the BIOS of a host. */
export interface Component {
  /** Unique on the board. */
  readonly id: string
  readonly kind: (typeof componentKinds)[number]
  readonly name: string
  /** The id of the manager or the system. */
  readonly of: string
  /** The canonical URI, without a trailing slash, of the manager or the system. */
  readonly uri: string
  /** As the board says it. */
  readonly version: string
  readonly softwareId: string | undefined
  /** The oldest that it takes, as the board says it. */
  readonly minimumVersion: string | undefined
  /** Absent if it takes no update. */
  readonly firmware: Backend | undefined
}

/** The components of a board, those of the controller first. */
export function components({ managers, systems }: Board): readonly Component[] {
  return [
    ...Object.entries(managers).map(
      ([of, { name, firmwareVersion: version, firmware, minimumVersion, softwareId }]) => ({
        id: `Manager-${of}`,
        kind: 'controller' as const,
        name,
        of,
        uri: managerUri(of),
        version,
        softwareId,
        minimumVersion,
        firmware
      })
    ),
    ...Object.entries(systems).map(
      ([of, { name, biosVersion: version = '', firmware, minimumVersion, softwareId }]) => ({
        id: `BIOS-${of}`,
        kind: 'bios' as const,
        name: `BIOS of ${name}`,
        of,
        uri: systemUri(of),
        version,
        softwareId,
        minimumVersion,
        firmware
      })
    )
  ]
}

/** The privilege that an update of a component needs. */
export function privilegeFor(kind: Component['kind']): Privilege {
  return kind === 'bios' ? 'HostBIOSConfigPriv' : 'MgmtConfigPriv'
}

/** Whether an update of a component can make variables anew: those of the host whose BIOS it is. */
export function resetsVariables(machine: Pick<Machine, 'system'>, { kind, of }: Component): boolean {
  return kind === 'bios' && hasVariables(machine, of)
}

/** The version that a manager or a system runs with; null while it is not known, and without a whole image. */
export function runningVersion(machine: Pick<Machine, 'firmware'>, id: string, version: string): string | null {
  const state = machine.firmware(id)
  return state === undefined ? version : (state.slots[state.running]?.version ?? null)
}

/** The oldest version that a component takes: the newer of what the board says and what its images have said. */
export function lowestVersion(
  state: Pick<Context['state'], 'get'>,
  { id, minimumVersion }: Component
): string | undefined {
  const said = state.get('minimumVersion', id)?.version
  if (said === undefined || minimumVersion === undefined) return said ?? minimumVersion
  return isOlder(said, minimumVersion) ? minimumVersion : said
}

/** Whether what a component starts from is no whole image: it is written in place, and was not to its end. */
export function isDamaged(machine: Pick<Machine, 'firmware'>, id: string): boolean {
  const state = machine.firmware(id)
  return state !== undefined && state.slots.length > 0 && state.slots[state.running]?.version === undefined
}

/** Whether a component takes the files of its maker, and no others. The next reset starts an installed one. */
export function takesFiles(machine: Pick<Machine, 'firmware'>, id: string): boolean {
  return machine.firmware(id)?.takesFiles === true
}

/**
 * Whether an update waits for something before it is written. The controller's image is written at once beside what runs,
 * and a file of its maker once it may be started.
 */
export function waits(machine: Pick<Machine, 'firmware'>, { kind, id }: Component, applyTime: ApplyTime): boolean {
  if (kind !== 'controller') return applyTime !== 'Immediate'
  return takesFiles(machine, id) && (inWindow(applyTime) || applyTime === 'OnStartUpdateRequest')
}

/** A member of the inventory of firmware: what a slot of a component holds. */
export interface SoftwareInventory {
  readonly id: string
  readonly component: Component
  /** Undefined if the slot holds no whole image. */
  readonly version: string | undefined
  /** Whether it runs, and whether it is the one to start from next. */
  readonly active: boolean
  readonly next: boolean
}

/**
 * The inventory of firmware, in order. A component with one slot has one member, with the id of the component. A boot loader
 * that says its version has one as well; it takes no update.
 */
export function inventory(machine: Machine): readonly SoftwareInventory[] {
  return components(machine.board).flatMap((each) => membersOf(machine.board, each, machine.firmware(each.id)))
}

type SoftwareState = ReturnType<Machine['firmware']>

function membersOf(board: Board, component: Component, state: SoftwareState): readonly SoftwareInventory[] {
  if (state === undefined) {
    return [{ id: component.id, component, version: component.version, active: true, next: true }]
  }
  const { slots, running, next, loader } = state
  const held = slots.map(({ version }, slot) => ({
    id: slots.length === 1 ? component.id : `${component.id}-${String.fromCharCode(65 + slot)}`,
    component,
    version,
    active: slot === running,
    next: slot === next
  }))
  return loader === undefined ? held : [...held, loaderInventory(board, component, loader)]
}

function loaderInventory({ name: board }: Board, component: Component, version: string): SoftwareInventory {
  const id = `${component.id}-BootLoader`
  const loader = {
    id,
    name: `Boot loader of ${component.name}`,
    softwareId: `${board}-bootloader`,
    minimumVersion: undefined,
    firmware: undefined
  }
  return { id, component: { ...component, ...loader }, version, active: true, next: true }
}

/** The canonical URI of a member, without a trailing slash. */
const firmwareUri = (id: string) => `/redfish/v1/UpdateService/FirmwareInventory/${id}`

/**
 * The URIs of what shows a new state of a component: members of the inventory that were there before, and the manager or
 * system that runs another version.
 */
export function changedSoftware(board: Board, component: Component, old: SoftwareState, now: SoftwareState): string[] {
  const before = membersOf(board, component, old)
  return membersOf(board, component, now).flatMap((each) => {
    const same = before.find(({ id }) => id === each.id)
    if (same === undefined || JSON.stringify(same) === JSON.stringify(each)) return []
    const isOther = each.active && (same.version !== each.version || !same.active)
    return [firmwareUri(each.id), ...(isOther ? [component.uri] : [])]
  })
}

/**
 * The components that take updates, of those that a client names.
 *
 * @param targets URIs of members of the inventory, of managers or systems, in any form; empty: all
 */
export function targeted(machine: Machine, targets: readonly string[]): readonly Component[] {
  const wanted = new Set(targets.map(canonical))
  const members = new Set(
    inventory(machine).flatMap(({ id, component }) => (wanted.has(firmwareUri(id)) ? component.id : []))
  )
  const isWanted = ({ id, uri }: Component) => wanted.size === 0 || wanted.has(uri) || members.has(id)
  return components(machine.board).filter((each) => each.firmware !== undefined && isWanted(each))
}

/** Whether a component takes such a file as one with this manifest. */
export function takes(machine: Machine, { id, kind }: Component, { component }: Manifest): boolean {
  return component === undefined ? takesFiles(machine, id) : kind === component && !takesFiles(machine, id)
}

/** The reason, for the client, that no component takes an update. */
export function untaken({ component }: Manifest): string {
  return component === undefined ? 'no target takes such a file' : `no target takes firmware of the kind ${component}`
}

/**
 * `ActiveSoftwareImage` and `SoftwareImages` of a manager (DSP0268, Manager): the members of the inventory that are its
 * firmware, and the one that runs.
 */
export function softwareImages(machine: Machine, manager: string) {
  const held = inventory(machine).filter(({ component }) => component.uri === managerUri(manager))
  const running = held.find(({ active }) => active)
  return {
    ...(running && { ActiveSoftwareImage: link(firmwareUri(running.id)) }),
    SoftwareImages: held.map(({ id }) => link(firmwareUri(id)))
  }
}

/** All URIs that may be targets. */
export function targetUris(machine: Machine): readonly string[] {
  const updateable = inventory(machine).filter(({ component }) => component.firmware !== undefined)
  return [...new Set(updateable.flatMap(({ id, component }) => [firmwareUri(id), component.uri]))]
}

const canonical = (uri: string) => uri.replace(/\/+$/, '')
