import type { ComponentType } from 'preact'
import type { Word } from '../words.ts'
import { Accounts } from './accounts.tsx'
import { Bios } from './bios.tsx'
import { Boot } from './boot.tsx'
import { Console } from './console.tsx'
import { Explorer } from './explorer.tsx'
import { Log } from './log.tsx'
import { Overview } from './overview.tsx'
import { SecureBoot } from './secure-boot.tsx'
import { Sensors } from './sensors.tsx'
import { Settings } from './settings.tsx'
import { Updates } from './updates.tsx'

/** The screens in the order of the navigation; the first is shown where the address names none. */
export const screens: readonly { readonly path: string; readonly word: Word; readonly Screen: ComponentType }[] = [
  { path: 'overview', word: 'overview', Screen: Overview },
  { path: 'sensors', word: 'sensors', Screen: Sensors },
  { path: 'bios', word: 'bios', Screen: Bios },
  { path: 'boot', word: 'boot', Screen: Boot },
  { path: 'secure-boot', word: 'secureBoot', Screen: SecureBoot },
  { path: 'console', word: 'console', Screen: Console },
  { path: 'log', word: 'log', Screen: Log },
  { path: 'updates', word: 'updates', Screen: Updates },
  { path: 'accounts', word: 'accounts', Screen: Accounts },
  { path: 'settings', word: 'settings', Screen: Settings },
  { path: 'explorer', word: 'explorer', Screen: Explorer }
]
