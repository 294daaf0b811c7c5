import type { ComponentType } from 'preact'
import type { IconName } from '../frame/icons.tsx'
import type { Needs } from '../service/privileges.ts'
import type { Word } from '../words/index.ts'
import { Overview } from './overview.tsx'

/** A screen: its part of the address, its name and icon, and its component, whose file is loaded when it is first shown. */
export interface Screen {
  readonly path: string
  readonly word: Word & IconName
  /** The privileges that its changes require. */
  readonly needs?: Needs
  readonly load: () => Promise<ComponentType>
}

/** The screens in groups, in the order of the navigation; the first is shown where the address names none. */
export const groups: readonly { readonly word?: Word; readonly screens: readonly Screen[] }[] = [
  { screens: [{ path: 'overview', word: 'overview', needs: 'HostBIOSConfigPriv', load: async () => Overview }] },
  {
    word: 'hardware',
    screens: [
      { path: 'sensors', word: 'sensors', load: async () => (await import('./sensors.tsx')).Sensors },
      {
        path: 'power',
        word: 'power',
        needs: 'MgmtConfigPriv',
        load: async () => (await import('./power.tsx')).Power
      },
      {
        path: 'inventory',
        word: 'inventory',
        needs: 'MgmtConfigPriv',
        load: async () => (await import('./inventory.tsx')).Inventory
      }
    ]
  },
  {
    word: 'firmware',
    screens: [
      { path: 'bios', word: 'bios', needs: 'HostBIOSConfigPriv', load: async () => (await import('./bios.tsx')).Bios },
      { path: 'boot', word: 'boot', needs: 'HostBIOSConfigPriv', load: async () => (await import('./boot.tsx')).Boot },
      {
        path: 'secure-boot',
        word: 'secureBoot',
        needs: 'HostBIOSConfigPriv',
        load: async () => (await import('./secure-boot.tsx')).SecureBoot
      },
      {
        path: 'updates',
        word: 'updates',
        needs: ['MgmtConfigPriv', 'HostBIOSConfigPriv'],
        load: async () => (await import('./updates.tsx')).Updates
      }
    ]
  },
  {
    word: 'remote',
    screens: [
      { path: 'console', word: 'console', load: async () => (await import('./console.tsx')).Console },
      { path: 'media', word: 'media', needs: 'VirtualMediaPriv', load: async () => (await import('./media.tsx')).Media }
    ]
  },
  {
    word: 'records',
    screens: [
      { path: 'log', word: 'log', needs: 'MgmtConfigPriv', load: async () => (await import('./log.tsx')).Log },
      {
        path: 'tasks',
        word: 'tasks',
        needs: ['MgmtConfigPriv', 'HostBIOSConfigPriv'],
        load: async () => (await import('./tasks.tsx')).Tasks
      }
    ]
  },
  {
    word: 'usersAndAccess',
    screens: [
      {
        path: 'accounts',
        word: 'accounts',
        needs: 'UserConfigPriv',
        load: async () => (await import('./accounts.tsx')).Accounts
      },
      {
        path: 'sessions',
        word: 'sessions',
        needs: 'UserConfigPriv',
        load: async () => (await import('./sessions.tsx')).Sessions
      },
      {
        path: 'certificates',
        word: 'certificates',
        needs: 'MgmtConfigPriv',
        load: async () => (await import('./certificates.tsx')).Certificates
      }
    ]
  },
  {
    word: 'settings',
    screens: [
      {
        path: 'network',
        word: 'network',
        needs: 'MgmtConfigPriv',
        load: async () => (await import('./network.tsx')).Network
      },
      { path: 'time', word: 'time', needs: 'MgmtConfigPriv', load: async () => (await import('./time.tsx')).Time },
      {
        path: 'notifications',
        word: 'notifications',
        needs: 'MgmtConfigPriv',
        load: async () => (await import('./notifications.tsx')).Notifications
      },
      {
        path: 'license',
        word: 'license',
        needs: 'MgmtConfigPriv',
        load: async () => (await import('./license.tsx')).License
      },
      { path: 'explorer', word: 'explorer', load: async () => (await import('./explorer.tsx')).Explorer }
    ]
  }
]

/** All screens. */
export const screens = groups.flatMap((group) => group.screens)

/** Where screens are that had other addresses before. */
const moved: Readonly<Record<string, string>> = { settings: 'network' }

/** The screen at an address; the first screen for an unknown address. */
export function screenAt(path: string): Screen {
  return screens.find((each) => each.path === (moved[path] ?? path)) ?? screens[0]!
}
