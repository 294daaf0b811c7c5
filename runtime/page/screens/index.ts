import type { ComponentType } from 'preact'
import type { IconName } from '../frame/icons.tsx'
import type { Word } from '../words/index.ts'
import { Overview } from './overview.tsx'

/** A screen: its part of the address, its name and icon, and its component, whose file is loaded when it is first shown. */
export interface Screen {
  readonly path: string
  readonly word: Word & IconName
  readonly load: () => Promise<ComponentType>
}

/** The screens in groups, in the order of the navigation; the first is shown where the address names none. */
export const groups: readonly { readonly word?: Word; readonly screens: readonly Screen[] }[] = [
  { screens: [{ path: 'overview', word: 'overview', load: async () => Overview }] },
  {
    word: 'hardware',
    screens: [{ path: 'sensors', word: 'sensors', load: async () => (await import('./sensors.tsx')).Sensors }]
  },
  {
    word: 'firmware',
    screens: [
      { path: 'bios', word: 'bios', load: async () => (await import('./bios.tsx')).Bios },
      { path: 'boot', word: 'boot', load: async () => (await import('./boot.tsx')).Boot },
      { path: 'secure-boot', word: 'secureBoot', load: async () => (await import('./secure-boot.tsx')).SecureBoot },
      { path: 'updates', word: 'updates', load: async () => (await import('./updates.tsx')).Updates }
    ]
  },
  {
    word: 'remote',
    screens: [{ path: 'console', word: 'console', load: async () => (await import('./console.tsx')).Console }]
  },
  { word: 'records', screens: [{ path: 'log', word: 'log', load: async () => (await import('./log.tsx')).Log }] },
  {
    word: 'usersAndAccess',
    screens: [{ path: 'accounts', word: 'accounts', load: async () => (await import('./accounts.tsx')).Accounts }]
  },
  {
    word: 'controllerGroup',
    screens: [
      { path: 'settings', word: 'settings', load: async () => (await import('./settings.tsx')).Settings },
      { path: 'explorer', word: 'explorer', load: async () => (await import('./explorer.tsx')).Explorer }
    ]
  }
]

/** All screens. */
export const screens = groups.flatMap((group) => group.screens)
