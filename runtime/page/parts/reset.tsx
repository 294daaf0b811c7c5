import { asksBefore, type Reset, resets, whyNot } from '../rules/power.ts'
import { send } from '../service/client.ts'
import type { System } from '../types.ts'
import { t, type Word } from '../words/index.ts'
import { Action } from './action.tsx'

/** The resets that a system allows, in their order. */
export function resetsOf({ Actions }: System): readonly Reset[] {
  const allowed: readonly string[] = Actions?.['#ComputerSystem.Reset']?.['ResetType@Redfish.AllowableValues'] ?? []
  return resets.filter((each) => allowed.includes(each))
}

interface Props {
  readonly system: System
  readonly type: Reset
  /** Its name where it stands alone. */
  readonly label?: string
}

/** A button that resets a system, after a question where programs would end. */
export function ResetButton({ system, type, label = t(type) }: Props) {
  const why = whyNot(type, system.PowerState)
  return (
    <Action
      label={label}
      kind={type === 'On' ? 'primary' : type.startsWith('Force') || type === 'Nmi' ? 'danger' : 'plain'}
      whyNot={why && t(why)}
      question={asksBefore(type, system.PowerState) ? t(`${type}?` as Word, system.Name) : undefined}
      act={() => send('POST', system.Actions?.['#ComputerSystem.Reset']?.target ?? '', { ResetType: type })}
    />
  )
}
