import type { ComponentType } from 'preact'
import type { Word } from '../words/index.ts'
import { Overview } from './overview.tsx'

/** A screen: its part of the address, its name, and its component, whose file is loaded when it is first shown. */
export interface Screen {
  readonly path: string
  readonly word: Word
  readonly load: () => Promise<ComponentType>
}

/** The screens in the order of the navigation; the first is shown where the address names none, and is part of the page. */
export const screens: readonly Screen[] = [
  { path: 'overview', word: 'overview', load: async () => Overview },
  { path: 'sensors', word: 'sensors', load: async () => (await import('./sensors.tsx')).Sensors },
  { path: 'bios', word: 'bios', load: async () => (await import('./bios.tsx')).Bios },
  { path: 'boot', word: 'boot', load: async () => (await import('./boot.tsx')).Boot },
  { path: 'secure-boot', word: 'secureBoot', load: async () => (await import('./secure-boot.tsx')).SecureBoot },
  { path: 'console', word: 'console', load: async () => (await import('./console.tsx')).Console },
  { path: 'log', word: 'log', load: async () => (await import('./log.tsx')).Log },
  { path: 'updates', word: 'updates', load: async () => (await import('./updates.tsx')).Updates },
  { path: 'accounts', word: 'accounts', load: async () => (await import('./accounts.tsx')).Accounts },
  { path: 'settings', word: 'settings', load: async () => (await import('./settings.tsx')).Settings },
  { path: 'explorer', word: 'explorer', load: async () => (await import('./explorer.tsx')).Explorer }
]
