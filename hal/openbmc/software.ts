import type { Properties } from '../dbus/mirror.ts'
import { type Objects, wordOf } from './objects.ts'

const name = (each: string) => `xyz.openbmc_project.${each}`

/** The interfaces of versions, and that by which their root tells which of them run. */
export const softwareInterfaces = {
  version: name('Software.Version'),
  activation: name('Software.Activation'),
  progress: name('Software.ActivationProgress'),
  priority: name('Software.RedundancyPriority'),
  update: name('Software.Update'),
  associations: name('Association.Definitions')
} as const

const root = '/xyz/openbmc_project/software'
const { version, activation, priority, update, associations } = softwareInterfaces

/** The purposes of versions that are for a component. */
const purposes = { BMC: ['BMC', 'System'], Host: ['Host'] } as const

/** Characters of a version, at most. */
const longestVersion = 128

/** A version that is installed. */
export interface SoftwareVersion {
  readonly path: string
  readonly version: string
  readonly isRunning: boolean
  /** Of the next start: the lowest number is the first choice. */
  readonly priority: number
}

/** Whether the whole of a version is installed, by the word of its `Activation`. */
export const isWhole = (state: string | undefined) => state === 'Active' || state === 'Staged'

/** The versions for one component, as the mirror has them. */
export class Versions {
  readonly #objects: Objects
  readonly #purpose: keyof typeof purposes

  constructor(objects: Objects, purpose: keyof typeof purposes) {
    this.#objects = objects
    this.#purpose = purpose
  }

  /** Whether something about versions may have changed with an object. */
  concerns(path: string): boolean {
    return path === root || path.startsWith(`${root}/`)
  }

  /** Whether the daemon is there. */
  get isKnown(): boolean {
    return this.#objects.properties(root, associations) !== undefined
  }

  /** All that are installed whole. */
  all(): readonly SoftwareVersion[] {
    const running = this.#running()
    return this.#paths(version).flatMap((path) => {
      const properties = this.read(path)
      const text = properties?.get('Version')
      const order = this.#objects.properties(path, priority)?.get('Priority')
      if (typeof text !== 'string' || !isWhole(wordOf(properties?.get('Activation')))) return []
      const common = { path, version: text.slice(0, longestVersion), isRunning: running.has(path) }
      return [{ ...common, priority: typeof order === 'number' && order >= 0 ? order : Number.POSITIVE_INFINITY }]
    })
  }

  /** The properties of one, installed or on its way; undefined if there is no such version for this component. */
  read(path: string): Properties | undefined {
    const properties = this.#objects.properties(path, version)
    const purpose = wordOf(properties?.get('Purpose')) ?? ''
    const isOurs = (purposes[this.#purpose] as readonly string[]).includes(purpose)
    if (properties === undefined || !isOurs) return undefined
    return new Map([...properties, ...(this.#objects.properties(path, activation) ?? [])])
  }

  /** The object that takes an update: that of the version that runs, if it does. */
  updater(): string | undefined {
    const running = this.#running()
    const able = this.#paths(update).filter((path) => this.read(path) !== undefined)
    return able.find((path) => running.has(path)) ?? able[0]
  }

  #paths(name: string): string[] {
    return this.#objects.paths(name).filter((path) => path.startsWith(`${root}/`))
  }

  /** The paths of the versions that run, of all components. */
  #running(): ReadonlySet<string> {
    const listed = this.#objects.properties(root, associations)?.get('Associations')
    if (!Array.isArray(listed)) return new Set()
    return new Set(listed.flatMap((each) => (Array.isArray(each) && each[0] === 'functional' ? [String(each[2])] : [])))
  }
}
