import { asksBefore, type Reset, resets, whyNot } from '../rules/power.ts'
import { send } from '../service/client.ts'
import type { Manager, System } from '../types.ts'
import { isolated, t } from '../words/index.ts'
import type { Command } from './action.tsx'

/** The resets that a system allows, in their order. */
export function resetsOf({ Actions }: System): readonly Reset[] {
  const allowed: readonly string[] = Actions?.['#ComputerSystem.Reset']?.['ResetType@Redfish.AllowableValues'] ?? []
  return resets.filter((each) => allowed.includes(each))
}

/** The effect of a reset in words; empty if its name says it. */
export const effectOf = (type: Reset) => (type === 'On' ? undefined : t(`${type}?`))

/** Resets a system; asks first if programs would end. @param label of the button, by default the reset's name */
export function resetOf(system: System, type: Reset, label = t(type)): Command {
  const why = whyNot(type, system.PowerState)
  return {
    needs: 'VirtualPowerAndResetPriv',
    label,
    kind: type === 'On' ? 'primary' : type.startsWith('Force') || type === 'Nmi' ? 'danger' : 'plain',
    whyNot: why && t(why),
    question: asksBefore(type, system.PowerState) ? `${isolated(system.Name)}: ${effectOf(type)}` : undefined,
    act: () => send('POST', system.Actions?.['#ComputerSystem.Reset']?.target ?? '', { ResetType: type })
  }
}

/** Turns a locator lamp on or off. */
export function lampOf(uri: string, isLit: boolean): Command {
  return {
    label: isLit ? t('lampOff') : t('lampOn'),
    act: () => send('PATCH', uri, { LocationIndicatorActive: !isLit })
  }
}

/** The locator lamp of a system; undefined if it has none. */
export function systemLamp({ '@odata.id': uri, LocationIndicatorActive: isLit }: System): Command | undefined {
  return isLit == null ? undefined : { ...lampOf(uri, isLit), needs: 'HostBIOSConfigPriv' }
}

/** Restarts the controller; undefined if it cannot be restarted. */
export function controllerRestart({ Actions }: Manager): Command | undefined {
  const reset = Actions?.['#Manager.Reset']
  if (reset === undefined) return undefined
  return {
    label: t('resetController'),
    needs: 'MgmtConfigPriv',
    kind: 'danger',
    question: t('resetControllerQuestion'),
    act: () => send('POST', reset.target, { ResetType: 'GracefulRestart' })
  }
}
