import { beginTask, type Task, taskUri } from '#data/tasks'
import { type Context, event, fail, message, type Outcome, type Writes } from '#runtime/contract'
import { type ApplyTime, inWindow, placeIn, wholeWindow } from './apply-time.ts'
import {
  type Component,
  components,
  lowestVersion,
  privilegeFor,
  resetsVariables,
  type SoftwareInventory,
  takes,
  targeted,
  targetUris,
  untaken,
  waits
} from './components.ts'
import { componentKinds, isOlder, type Manifest } from './manifest.ts'
import { type Author, type Update, updateSettings } from './records.ts'

declare module '#runtime/contract' {
  interface Services {
    /** The update file that came as the body; undefined if a handler takes none. */
    readonly upload: UpdateUpload | undefined
  }
  interface Commands {
    /** To fetch the file of an update that is stored. */
    fetchUpdate: {
      readonly task: string
      /** The header of this name, for the server of the file. It is kept nowhere. */
      readonly authorization?: string
    }
  }
}

/** An update file that has arrived and is sound. */
export interface UpdateUpload {
  /** That of the task that is to use it. */
  readonly id: string
  readonly manifest: Manifest
}

/** Where an update goes, when, and how, as a client says it. */
interface Wanted {
  readonly '@Redfish.OperationApplyTime'?: ApplyTime | undefined
  readonly Targets?: readonly string[] | undefined
  readonly Oem?: { readonly Vendor?: { readonly ResetVariables?: boolean | undefined } | undefined } | undefined
}

/**
 * Begins the update with a file that was uploaded.
 *
 * @throws MessageError 400 for a file that is for none of the targets, or is too old, or has no variables to reset; 403
 *   without the privilege; 409 for a host that is to be off
 */
export function beginUpload(context: Context<never, unknown>, wanted: Wanted): Outcome {
  const { upload, machine, caller } = context
  if (upload === undefined) throw new RangeError('no update file was received')
  const { manifest } = upload
  const update = { ...planned(context, wanted), manifest }
  const component = targetFor(context, manifest, wanted.Targets ?? [])
  if (!caller.privileges.has(privilegeFor(component.kind))) fail(403, 'Base.InsufficientPrivilege')
  const refused = refusal(context, component, manifest)
  if (refused !== undefined) fail(400, 'Mgmt.UpdateFileRefused', refused)
  if (update.resetVariables && !resetsVariables(machine, component)) {
    fail(400, 'Base.PropertyValueIncorrect', 'Oem/Vendor/ResetVariables', 'true')
  }
  if (update.applyTime === 'Immediate' && component.kind === 'bios' && machine.power(component.of) !== 'Off') {
    fail(409, 'Mgmt.SystemPowerOffRequired')
  }
  const messages = [message('Update.TargetDetermined', component.name, manifest.version)]
  return begun(context, upload.id, { ...update, component: component.id, stage: 'Waiting' }, messages, component)
}

/** Begins an update whose file is to be fetched. @throws MessageError 400 for invalid targets */
export function beginFetch(
  context: Context<never, unknown>,
  source: string,
  wanted: Wanted,
  authorization: string | undefined
): Outcome {
  const { caller, machine } = context
  const update = planned(context, wanted)
  const allowed = componentKinds.filter((kind) => caller.privileges.has(privilegeFor(kind)))
  const ids = (wanted.Targets ?? []).flatMap((target) => targeted(machine, [target]).map(({ id }) => id))
  const id = context.random(8)
  const outcome = begun(context, id, { ...update, targets: ids, allowed, source, stage: 'Fetching' }, [])
  return { ...outcome, commands: [{ kind: 'fetchUpdate', task: id, ...(authorization && { authorization }) }] }
}

/** The update of a component that has neither ended nor been given up. */
export function updateOf(state: Pick<Context['state'], 'get' | 'keys'>, component: string): string | undefined {
  return state
    .keys('update')
    .find((id) => state.get('update', id)?.component === component && state.get('task', id) !== undefined)
}

/** Whether a component's image is being written. */
function isWritten(state: Pick<Context['state'], 'get' | 'keys'>, component: string): boolean {
  return state.get('update', updateOf(state, component) ?? '')?.stage === 'Writing'
}

/** The own status of a member. An image that was written in place and cut off is critical: its host does not start. */
export function softwareStatus({ active, component, version }: SoftwareInventory, state: Context['state']) {
  if (version !== undefined) return { State: active ? 'Enabled' : 'StandbyOffline' } as const
  if (!active) return { State: 'Absent' } as const
  if (isWritten(state, component.id)) return { State: 'Updating' } as const
  return { State: 'UnavailableOffline', Health: 'Critical' } as const
}

/** The writes that have every update begin that waits for `StartUpdate`, and that the caller may make. */
export function startWaiting(context: Pick<Context, 'state' | 'machine' | 'caller' | 'uri'>): Writes {
  const { state } = context
  const waiting = state.keys('update').filter((id) => {
    const update = state.get('update', id)
    return update?.applyTime === 'OnStartUpdateRequest' && update.stage !== 'Fetching' && mayMake(context, id)
  })
  const begin = { applyTime: 'Immediate', author: authorOf(context) } as const
  return { update: Object.fromEntries(waiting.map((id) => [id, begin])) }
}

function authorOf({ caller, uri }: Pick<Context, 'caller' | 'uri'>): Author {
  const { account, user, generation, certificate } = caller
  return { uri, account, user, ...(generation && { generation }), ...(certificate && { certificate }) }
}

/** Whether the caller has the privilege for an update. False while its file is fetched: its component is unknown. */
export function mayMake(
  { state, machine, caller }: Pick<Context, 'state' | 'machine' | 'caller'>,
  id: string
): boolean {
  const component = components(machine.board).find((each) => each.id === state.get('update', id)?.component)
  return component !== undefined && caller.privileges.has(privilegeFor(component.kind))
}

/**
 * Why a component does not take an image, in words for the client; undefined if it does. A component that takes the files
 * of its maker says so itself, when it installs them.
 */
export function refusal(
  { machine, state }: Pick<Context, 'machine' | 'state'>,
  component: Component,
  { board, version }: Manifest
): string | undefined {
  if (board === undefined) return undefined
  if (board !== machine.board.name) return `it is for the board ${board}`
  const oldest = lowestVersion(state, component)
  if (oldest === undefined || !isOlder(version, oldest)) return undefined
  return `version ${version} is older than ${oldest}, the oldest that is taken`
}

function targetFor({ machine }: Pick<Context, 'machine'>, manifest: Manifest, targets: readonly string[]): Component {
  const found = targeted(machine, targets).find((each) => takes(machine, each, manifest))
  return found ?? fail(400, 'Mgmt.UpdateFileRefused', untaken(manifest))
}

/** When, where and how: as the client says it, else at once, and variables stay. @throws MessageError 400 */
function planned(context: Context<never, unknown>, wanted: Wanted): Omit<Update, 'stage'> {
  const { machine, state, now } = context
  const uris = targetUris(machine)
  const wrong = wanted.Targets?.find((each) => !uris.includes(each.replace(/\/+$/, '')))
  if (wrong !== undefined) fail(400, 'Base.PropertyValueIncorrect', 'Targets', wrong.slice(0, 64))
  const applyTime = wanted['@Redfish.OperationApplyTime'] ?? 'Immediate'
  const window = wholeWindow(updateSettings(state.get('updateService', 'settings')).window)
  const resetVariables = wanted.Oem?.Vendor?.ResetVariables ?? false
  const plan = { author: authorOf(context), targets: [], allowed: [], applyTime, resetVariables }
  if (!inWindow(applyTime)) return plan
  if (window === undefined || placeIn(window, now().getTime()) === 'after') {
    fail(400, 'Base.PropertyValueIncorrect', '@Redfish.OperationApplyTime', applyTime)
  }
  return { ...plan, window }
}

function begun(
  context: Context<never, unknown>,
  id: string,
  update: Update,
  messages: Task['messages'],
  component?: Component
): Outcome {
  const isWaiting = component !== undefined && waits(context.machine, component, update.applyTime)
  const state = isWaiting ? 'Pending' : 'Running'
  const about = { name: `Update of ${component?.name ?? 'the machine'}`, state, messages } as const
  const task = beginTask(context, id, about, { update: { [id]: update } })
  const origin = component?.uri ?? taskUri(id)
  const asked = event('MgmtEvents.FirmwareNvramClearRequested', origin, context.caller.user)
  return { ...task, events: [...task.events, ...(update.resetVariables ? [asked] : [])] }
}
