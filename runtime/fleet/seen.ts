import type { ControllerSummary } from '#data/fleet'
import { statusOf } from '#data/health'
import { managerUri } from '#data/manager'
import { systemUri } from '#data/system'
import { runningVersion } from '#data/updates'
import type { Service } from '#runtime/open/service.ts'

/** The state of a machine as the list of a fleet shows it. */
export type Seen = Pick<ControllerSummary, 'health' | 'power' | 'version'>

const order = ['OK', 'Warning', 'Critical'] as const

/** The same machine, whose systems are off. */
export function withoutPower({ power, ...others }: Seen): Seen {
  const systems = Object.values(power ?? {}).reduce((sum, each) => sum + each, 0)
  return power === undefined ? others : { ...others, power: { Off: systems } }
}

/** All of it is in memory. */
export function seenOf({ hardware, store }: Pick<Service, 'hardware' | 'store'>): Seen {
  const { systems, managers } = hardware.board
  const parts = [...Object.keys(systems).map(systemUri), ...Object.keys(managers).map(managerUri)]
  const worst = Math.max(
    ...parts.map((part) => order.indexOf(statusOf(hardware, store, part).HealthRollup as (typeof order)[number]))
  )
  const power: Record<string, number> = {}
  for (const id of Object.keys(systems)) {
    const state = hardware.power(id)
    if (state !== undefined) power[state] = (power[state] ?? 0) + 1
  }
  const [first] = Object.entries(managers)
  return {
    health: order[Math.max(0, worst)]!,
    power,
    ...(first && { version: runningVersion(hardware, `Manager-${first[0]}`, first[1].firmwareVersion) ?? '' })
  }
}
