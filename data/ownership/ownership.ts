import type { Board } from '#data/board'
import { type Erasure, storagesOf, taskUri } from '#data/tasks'
import { components, type Update } from '#data/updates'
import type { PowerOperation } from '#hal/power.ts'
import type { Command, Commands, Outcome, State, Tables, Writes } from '#runtime/contract'

/**
 * Something that a task may own while it is under way: the power of a host, which then stays as it is; a storage; the
 * settings of a system; the variables of its firmware; the slots of a component; the controller, which then keeps running.
 */
export type Device = `${'power' | 'storage' | 'settings' | 'variables' | 'firmware'}/${string}` | 'controller'

/** The devices of each kind of task. Nothing else may change them until the task ends. */
const owned = {
  /** A restart of the controller would restore its defaults before the rest is erased. */
  erase: ({ system, parts = [], hostRuns = false }: Partial<Erasure>): Device[] => [
    ...(parts.length > 0 && !hostRuns ? ([`power/${system}`] as const) : []),
    ...storagesOf(parts).map((id): Device => `storage/${system}/${id}`),
    ...(parts.includes('settings') ? ([`settings/${system}`, `variables/${system}`, 'controller'] as const) : [])
  ],
  /** One that waits owns no more than its place; the host of a BIOS is held while the BIOS is written. */
  update: ({ component, stage, resetVariables }: Partial<Update>, board: Board): Device[] => {
    const { kind, of } = components(board).find(({ id }) => id === component) ?? {}
    if (kind === undefined) return []
    const writes = stage === 'Writing'
    const place = `firmware/${component}` as const
    // After a reset of the controller its image is written on.
    if (kind === 'controller') return [place]
    return [
      place,
      ...(writes ? ([`power/${of}`] as const) : []),
      ...(writes && resetVariables ? ([`settings/${of}`, `variables/${of}`] as const) : [])
    ]
  }
} as const

/** The devices that a task owns. @param id its id, which is also that of the record of its work */
export function ownedBy(id: string, state: Pick<State, 'get'>, board: Board): readonly Device[] {
  return [...owned.erase(state.get('erasure', id) ?? {}), ...owned.update(state.get('update', id) ?? {}, board)]
}

/** The operations after which a host may run. An operation that switches it off disturbs no task. */
const starts: readonly PowerOperation[] = [
  'on',
  'forceRestart',
  'gracefulRestart',
  'coldBoot',
  'pressButton',
  'auxCycle'
]

const ofSettings = (system: string): readonly Device[] => [`settings/${system}`]

/** The devices that a record is about; a task that begins needs all that it will own. */
const records: {
  readonly [T in keyof Tables]?: (key: string, record: NonNullable<Record<T>>, board: Board) => readonly Device[]
} = {
  biosCurrent: ofSettings,
  biosPending: ofSettings,
  boot: ofSettings,
  erasure: (_, erasure) => owned.erase(erasure as Partial<Erasure>),
  hostPending: (system) => [`variables/${system}`],
  hostWatchdog: ofSettings,
  powerRestore: ofSettings,
  secureBoot: ofSettings,
  storage: (key) => [`storage/${key}`],
  system: ofSettings,
  update: (_, update, board) => owned.update(update as Partial<Update>, board),
  variable: (key) => [`variables/${key.split('/')[0]}`]
}

type Record<T extends keyof Tables> = NonNullable<Writes[T]>[string]

/** The devices that a command is for. */
const commands: { readonly [K in keyof Commands]?: (command: Command<K>) => readonly Device[] } = {
  power: ({ operation, system }) => [
    ...(starts.includes(operation) ? ([`power/${system}`] as const) : []),
    ...(operation === 'auxCycle' ? (['controller'] as const) : [])
  ],
  restart: () => ['controller']
}

/** The devices that an operation changes, by what it writes and what it commands. */
export function neededBy({ writes = {}, commands: commanded = [] }: Changes, board: Board): ReadonlySet<Device> {
  const needed = new Set<Device>()
  for (const table of Object.keys(writes) as (keyof Tables)[]) {
    const devices = records[table] as ((key: string, record: object, board: Board) => readonly Device[]) | undefined
    if (devices === undefined) continue
    for (const [key, record] of Object.entries<object | null>(writes[table] ?? {})) {
      for (const device of devices(key, record ?? {}, board)) needed.add(device)
    }
  }
  for (const command of commanded) {
    const devices = commands[command.kind] as ((command: Command) => readonly Device[]) | undefined
    for (const device of devices?.(command) ?? []) needed.add(device)
  }
  return needed
}

type Changes = Pick<Outcome, 'writes' | 'commands'>

/**
 * The task that owns one of these devices.
 *
 * @param own the id of a task that may own them
 */
export function ownerOf(devices: ReadonlySet<Device>, state: State, board: Board, own?: string) {
  if (devices.size === 0) return undefined
  for (const id of state.keys('task')) {
    const task = state.get('task', id)
    if (id === own || task === undefined || task.endedAt !== '') continue
    const owns = ownedBy(id, state, board).some((device) => devices.has(device))
    if (owns) return { uri: `${taskUri(id)}/`, name: task.name }
  }
  return undefined
}
