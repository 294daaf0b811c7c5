import { version } from '#data/board'
import { type Immutable, type Infer, object } from '#runtime/schema'

/** The kinds of components that have firmware. */
export const componentKinds = ['controller', 'bios'] as const

/** The manifest of an update file. `docs/updates.md` says what the file is made of. */
export const manifestSchema = object(['board', 'component', 'version', 'parts'], {
  board: { type: 'string', minLength: 1, maxLength: 64 },
  component: { type: 'string', enum: componentKinds },
  version,
  minimum: { ...version, description: 'Once this version runs, no older one than that is taken' },
  parts: {
    type: 'array',
    maxItems: 16,
    items: object(['name', 'length', 'sha256'], {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$' },
      length: { type: 'integer', minimum: 1, maximum: 0xffff_ffff },
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' }
    })
  }
})

type SignedManifest = Immutable<Infer<typeof manifestSchema>>

/**
 * An image of firmware, and what it is for. A file of a component's maker, which the component verifies, does not say that
 * here: it has one part, and in place of the version, until it is installed, the first digits of its digest.
 */
export type Manifest = Omit<SignedManifest, 'board' | 'component'> &
  Partial<Pick<SignedManifest, 'board' | 'component'>>

/** Whether a version is older than another one: number by number; what one of them lacks counts as 0. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((each) => each.split('.').map(Number)) as [number[], number[]]
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
