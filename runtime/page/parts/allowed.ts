import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { missingOf, type Needs } from '../service/privileges.ts'
import { t } from '../words/index.ts'

/** The privileges for changes on a screen, unless a button names others. */
export const ScreenNeeds = createContext<Needs | undefined>(undefined)

export interface Allowed {
  /** Whether it is about what is the user's own, which every role may change. */
  readonly own?: boolean
  /** The privileges of which one is needed; absent: those of the screen. */
  readonly needs?: Needs
}

/** Why the user's role may not do something on a screen; undefined if it may. */
export function useWhyNot(allowed: Allowed = {}): string | undefined {
  const ofScreen = useContext(ScreenNeeds)
  return reasonAgainst({ ...(ofScreen !== undefined && { needs: ofScreen }), ...allowed })
}

/** The same anywhere else. */
export function reasonAgainst({ own = false, needs }: Allowed): string | undefined {
  const missing = own ? undefined : missingOf(needs)
  if (missing === undefined) return undefined
  return missing === 'any' ? t('mayOnlyRead') : t(`mayNot-${missing}`)
}
