import { type BoardSystem, powerModes } from '#data/board'
import { type Context, fail, list, type Machine, type Outcome, type State, withBody } from '#runtime/contract'
import { changeBiosSettings } from './settings.ts'

/** `PowerMode` of a system (DSP0268, ComputerSystem), which is a setting of its BIOS. */
export const powerMode = {
  PowerMode: { type: 'string', enum: powerModes, nullable: true, readonly: false },
  'PowerMode@Redfish.AllowableValues': list({ type: 'string' })
} as const

type PowerMode = (typeof powerModes)[number]

const modesOf = ({ powerMode }: BoardSystem) =>
  Object.entries(powerMode?.modes ?? {}) as [mode: PowerMode, value: string][]

/** {@link powerMode} of a system that has modes: the mode that its BIOS runs with, or null for a value that is not a mode. */
export function showPowerMode(state: State, machine: Machine, id: string) {
  const system = machine.system(id)
  if (system.powerMode === undefined) return {}
  const value = state.get('biosCurrent', id)?.attributes[system.powerMode.attribute]
  const modes = modesOf(system)
  return {
    PowerMode: modes.find(([, each]) => each === value)?.[0] ?? null,
    'PowerMode@Redfish.AllowableValues': modes.map(([mode]) => mode)
  }
}

/**
 * The setting of the BIOS that a client wants, which waits for the next reset.
 *
 * @returns undefined if the client names no mode
 * @throws MessageError 400 for a mode that the system does not have; like `changeBiosSettings`
 */
export function changePowerMode(
  context: Context<'ComputerSystemId', { readonly PowerMode?: PowerMode | null }>
): Outcome | undefined {
  const { params, body, machine } = context
  if (body.PowerMode === undefined) return undefined
  const system = machine.system(params.ComputerSystemId)
  if (system.powerMode === undefined) return fail(400, 'Base.PropertyUnknown', 'PowerMode')
  const [, value] = modesOf(system).find(([mode]) => mode === body.PowerMode) ?? []
  if (value === undefined) return fail(400, 'Base.PropertyValueNotInList', String(body.PowerMode), 'PowerMode')
  return changeBiosSettings(withBody(context, { Attributes: { [system.powerMode.attribute]: value } }))
}
